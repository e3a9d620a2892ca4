//! Ours: the whole stack, as its users write it, with typed handlers that read their input.

use std::{error::Error, path::Path, time::Duration};

use agentwire::{
    Decision, Message, Options, Session,
    hooks::{Hooks, Matcher, PermissionHandler},
    mcp::{McpServers, Server},
    protocol::{
        DecodeError,
        hook::{HookReply, PreToolUse},
    },
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::measure::cpu_time;

/// Answers everything until the turn's result; gives the CPU time from the prompt on.
///
/// # Errors
///
/// When the session can't be started, or ends too early.
pub async fn run(cli: &Path) -> Result<Duration, Box<dyn Error + Send + Sync>> {
    let mut session = Session::builder()
        .options(Options::new().path_to_claude_code_executable(cli))
        .hooks(hooks())
        .permissions(permissions())
        .mcp_servers(servers())
        .connect()
        .await?;
    let before = cpu_time();
    let mut turn = session.ask("Go.").await?;
    let mut done = false;
    while let Some(incoming) = turn.next().await {
        done |= matches!(incoming?.message(), Some(Message::Result(_)));
    }
    let taken = cpu_time() - before;
    session.close().await?;
    if done { Ok(taken) } else { Err("the turn has no result".into()) }
}

fn hooks() -> Hooks {
    Hooks::new().on_matching(PreToolUse, Matcher::tools(["Bash"]), async |input, _cx| {
        let Bash { command } = input.tool_input.decode()?;
        let mut reply = HookReply::allow();
        reply.output.get_or_insert_default().permission_decision_reason = Some(command);
        Ok::<_, DecodeError>(reply)
    })
}

fn permissions() -> PermissionHandler {
    PermissionHandler::new(async |request, _cx| {
        let Bash { command } = request.input.decode()?;
        Ok::<_, DecodeError>(if command.starts_with("echo ") {
            Decision::allow_with_input(request.input)
        } else {
            Decision::deny("only echo")
        })
    })
}

fn servers() -> McpServers {
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
