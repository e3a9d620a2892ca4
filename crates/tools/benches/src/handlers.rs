//! Our callbacks in all workloads: typed handlers that decode their input.

use agentwire::{
    Decision,
    hooks::{Hooks, Matcher, PermissionHandler},
    mcp::{McpServers, Server},
    protocol::{
        DecodeError,
        hook::{HookReply, PreToolUse},
    },
};
use schemars::JsonSchema;
use serde::Deserialize;

/// Returns a hook that allows shell commands with a reason.
pub(crate) fn hooks() -> Hooks {
    Hooks::new().on_matching(PreToolUse, Matcher::tools(["Bash"]), async |input, _cx| {
        let Bash { command } = input.tool_input.decode()?;
        let mut reply = HookReply::allow();
        reply.output.get_or_insert_default().permission_decision_reason = Some(command);
        Ok::<_, DecodeError>(reply)
    })
}

/// Returns a permission handler that allows commands that only print.
pub(crate) fn permissions() -> PermissionHandler {
    PermissionHandler::new(async |request, _cx| {
        let Bash { command } = request.input.decode()?;
        Ok::<_, DecodeError>(if command.starts_with("echo ") {
            Decision::allow_with_input(request.input)
        } else {
            Decision::deny("only echo")
        })
    })
}

/// Returns a server with one tool, which reads a row.
pub(crate) fn servers() -> McpServers {
    let shelf = Server::new("shelf", "1.0.0")
        .tool("read", "Reads a row.", async |row: Row, _cx| format!("row {}", row.n));
    McpServers::new().with("shelf", shelf)
}

#[derive(Deserialize)]
struct Bash {
    command: String,
}

#[derive(Deserialize, JsonSchema)]
struct Row {
    /// The row's number.
    n: u64,
}
