//! `agentwire hub`: the user's MCP servers as one.

mod call;
mod input;
mod list;
mod notes;
mod serve;
mod servers;
mod sessions;

use crate::failure::Failure;
pub use servers::Servers;
pub(crate) use servers::report;

/// List, call and serve the user's MCP servers
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    List(list::Args),
    Call(call::Args),
    Serve(serve::Args),
}

/// Runs the action.
pub fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(async {
        match &args.action {
            Action::List(args) => list::run(args, as_json).await,
            Action::Call(args) => call::run(args, as_json).await,
            Action::Serve(args) => serve::run(args, as_json).await,
        }
    });
    // A read of the standard input can't be cancelled, and must not keep the program from ending.
    runtime.shutdown_background();
    outcome
}
