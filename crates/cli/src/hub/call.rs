//! `agentwire hub call`: one call of a tool.

use std::io;

use agentwire_hub::rmcp::model::ContentBlock;
use agentwire_hub::{Approval, CallOutcome, CallRequest};
use agentwire_net::error_chain;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::Servers;
use super::servers::{start_limit, started, unread};
use crate::failure::{Failure, While as _};
use crate::output::{self, for_terminal, plain};

/// Call a tool, and print its result
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name of the server in the configuration
    server: String,
    /// The name of the tool
    tool: String,
    /// The arguments, as a JSON object
    #[arg(default_value = "{}")]
    arguments: String,
    #[command(flatten)]
    servers: Servers,
}

/// Calls the tool. The exit code is 1 if the tool reports an error.
pub(super) async fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let arguments: Value =
        serde_json::from_str(&args.arguments).while_doing(|| "reading the arguments".to_owned())?;
    // The user has named the tool, which is the permission.
    let hub = args.servers.start(Approval::allowed())?;
    let _ = timeout(start_limit(hub.server(&args.server)), started(&hub, &args.server)).await;
    let called = hub.call(CallRequest::new(&args.server, &args.tool).arguments(arguments)).await;
    if let Some(why) = unread(&hub, &args.server) {
        output::note(plain(&format!("{}: {why}", args.server)));
    }
    hub.close().await;
    let outcome = called.map_err(|error| Failure::new(in_one_line(&error_chain(&error))))?;
    let printed = print(&outcome, as_json);
    for violation in &outcome.violations {
        output::note(plain(&format!("{}: the result does not fit its schema: {violation}", args.tool)));
    }
    output::end(printed, !outcome.is_error)
}

fn print(outcome: &CallOutcome, as_json: bool) -> Result<(), Failure> {
    let CallOutcome { content, structured, is_error, .. } = outcome;
    if as_json {
        return output::json(&json!({"content": content, "structured": structured, "is_error": is_error}));
    }
    if let ([], Some(structured)) = (&content[..], structured) {
        return data(structured);
    }
    content.iter().try_for_each(|block| match block {
        ContentBlock::Text(text) => output::line(for_terminal(&text.text, &io::stdout())),
        other => data(other),
    })
}

/// Prints a part of a result that is not text.
fn data(part: &impl Serialize) -> Result<(), Failure> {
    output::line(for_terminal(&serde_json::to_string(part)?, &io::stdout()))
}

/// Returns an error with a list of faults, as a model reads it, in one line.
fn in_one_line(text: &str) -> String {
    text.replacen("\n- ", " ", 1).replace("\n- ", "; ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn list_of_faults_becomes_one_line() {
        assert_eq!(
            super::in_one_line("the arguments do not fit:\n- a\n- b"),
            "the arguments do not fit: a; b"
        );
    }
}
