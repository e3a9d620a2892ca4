//! The callbacks of the CLI: a hook, a permission handler and an MCP tool.

use agentwire::{
    Decision,
    hooks::{HandlerResult, Hooks, Matcher, PermissionHandler, PermissionResult},
    mcp::{McpServers, Server},
    protocol::{
        hook::{HookReply, PreToolUse},
        tool_input::ToolInput,
    },
};

/// Checks every shell command before it runs, and denies network access.
pub(crate) fn hooks() -> Hooks {
    let shell = Matcher::tools(["Bash"]);
    Hooks::new().on_matching(PreToolUse, shell, async |input, _cx| -> HandlerResult<PreToolUse> {
        let ToolInput::Bash(bash) = input.typed_input()? else { return Ok(HookReply::proceed()) };
        if bash.command.contains("curl") {
            println!("  [hook] refused: {}", bash.command);
            Ok(HookReply::deny("no network from the shell here; use the forecast tool"))
        } else {
            println!("  [hook] passed: {}", bash.command);
            Ok(HookReply::proceed())
        }
    })
}

/// Decides tool uses that neither a rule nor the mode permits.
pub(crate) fn permissions() -> PermissionHandler {
    PermissionHandler::new(async |request, _cx| -> PermissionResult {
        let file = match request.typed_input()? {
            ToolInput::Write(write) => write.file_path,
            ToolInput::Read(read) => read.file_path,
            _ => String::new(),
        };
        let allowed = request.tool_name == "Write" && file.ends_with("/note.txt");
        println!(
            "  [permission] {} {file}: {}",
            request.tool_name,
            if allowed { "allowed" } else { "denied" }
        );
        Ok(if allowed {
            Decision::allow()
        } else {
            Decision::deny("this example lets only note.txt be written")
        })
    })
}

/// Returns an in-process server with one tool.
pub(crate) fn mcp_servers() -> McpServers {
    let weather = Server::new("weather", "1.0.0").tool(
        "forecast",
        "Tells tomorrow's weather in a city.",
        async |input: Place, _cx| {
            println!("  [mcp tool] forecast for {}", input.city);
            format!("{}: sunny, 24 degrees, light wind from the west", input.city)
        },
    );
    McpServers::new().with("weather", weather)
}

// The doc comments below are part of the recorded handshake: the tool's schema holds them.
/// The input of the forecast tool; its JSON schema is derived, and checked before the tool runs.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    /// The city's name.
    city: String,
}
