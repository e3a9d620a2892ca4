//! What the CLI calls back: a hook, a permission question, and an MCP tool.

use agentwire::{
    Decision,
    hooks::{Hooks, Matcher, PermissionHandler},
    mcp::{McpServers, Server},
    protocol::hook::{HookReply, PreToolUse},
};

/// Looks at every shell command before it runs, and refuses the network.
pub(crate) fn hooks() -> Hooks {
    Hooks::new().on_matching(PreToolUse, Matcher::tools(["Bash"]), async |input, _cx| {
        let command: Command = input.tool_input.decode()?;
        if command.command.contains("curl") {
            println!("  [hook] refused: {}", command.command);
            Ok(HookReply::deny("no network from the shell here; use the forecast tool"))
        } else {
            println!("  [hook] passed: {}", command.command);
            Ok::<_, agentwire::protocol::DecodeError>(HookReply::proceed())
        }
    })
}

/// Is asked where neither a rule nor the mode permits a tool use.
pub(crate) fn permissions() -> PermissionHandler {
    PermissionHandler::new(async |request, _cx| {
        let file = request.input.decode::<File>().map(|file| file.file_path).unwrap_or_default();
        let allowed = &*request.tool_name == "Write" && file.ends_with("/note.txt");
        println!(
            "  [permission] {} {file}: {}",
            request.tool_name,
            if allowed { "allowed" } else { "denied" }
        );
        if allowed { Decision::allow() } else { Decision::deny("this example lets only note.txt be written") }
    })
}

/// A server with one tool, in this process.
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

/// The input of the forecast tool; its JSON schema is derived, and checked before the tool runs.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    /// The city's name.
    city: String,
}

#[derive(serde::Deserialize)]
struct Command {
    command: String,
}

#[derive(serde::Deserialize)]
struct File {
    file_path: String,
}
