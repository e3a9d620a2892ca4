//! The servers of a configuration as one MCP server over stdio, for any agent: `gateway [--allow] FILE…`.
//!
//! That agent configures it as one server with tools named `SERVER__TOOL`.
//! What `alwaysAllow` does not allow is denied; with `--allow` everything is allowed, for an agent that asks its user itself.
#![expect(clippy::print_stderr, reason = "it is a program; its log is its stderr")]

use std::error::Error;

use agentwire_hub::{Approval, ClientHandlers, Gateway, Hub, config::Sources};
use rmcp::transport::stdio;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (options, files): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let approval = match &*options {
        [] => Approval::denied(),
        [allow] if allow == "--allow" => Approval::allowed(),
        _ => return Err("gateway [--allow] FILE…".into()),
    };
    let sources = files.into_iter().fold(Sources::new(), Sources::global);
    // The agent passes questions of servers to its user.
    let handlers = ClientHandlers::new().ask_callers();
    let hub = Hub::builder().sources(sources).approval(approval).handlers(handlers).build();
    for problem in hub.problems() {
        eprintln!("{problem}");
    }
    // Serves until the agent closes the input.
    Gateway::new(&hub).pass_logs().serve(stdio()).await?.waiting().await?;
    hub.close().await;
    Ok(())
}
