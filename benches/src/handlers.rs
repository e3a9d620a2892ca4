//! What our callbacks answer, wherever they are measured: typed handlers that read their input.

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

/// Allows what a shell is to run, and says it.
pub(crate) fn hooks() -> Hooks {
    Hooks::new().on_matching(PreToolUse, Matcher::tools(["Bash"]), async |input, _cx| {
        let Bash { command } = input.tool_input.decode()?;
        let mut reply = HookReply::allow();
        reply.output.get_or_insert_default().permission_decision_reason = Some(command);
        Ok::<_, DecodeError>(reply)
    })
}

/// Allows what only prints.
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

/// One tool, which reads a row.
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
    /// Which row.
    n: u64,
}
