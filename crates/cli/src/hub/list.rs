//! `agentwire hub list`: the servers, their states and their tools.

use std::collections::BTreeMap;
use std::time::Duration;

use agentwire_hub::config::{Problem, Severity};
use agentwire_hub::{Approval, DisabledBy, Hub, ServerSnapshot, ServerState};
use serde_json::json;
use tokio::time::{Instant, timeout, timeout_at};

use super::Servers;
use super::servers::{described, start_limit, started, unauthorized, unread};
use crate::failure::Failure;
use crate::output::{self, Color, note, paint, plain};

/// List the servers with their states and tools
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    servers: Servers,
}

/// Starts the servers, and prints each once it has started or failed, in the order of the configuration. The exit code is
/// 1 if one does not work, or a configuration has an error.
pub(super) async fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let hub = args.servers.start(Approval::denied())?;
    let servers = hub.snapshot();
    let end = Instant::now() + start_limit(servers.iter().cloned());
    let (mut is_good, mut printed) = (true, Ok(()));
    for ServerSnapshot { configured, .. } in servers {
        let name = configured.name.as_str();
        wait_for(&hub, name, end).await;
        // A change of a file may have removed it.
        let Some(server) = hub.server(name) else { continue };
        let unread = unread(&hub, name);
        is_good &= unread.is_none()
            && matches!(server.state, ServerState::Connected { .. } | ServerState::Disabled(_));
        if printed.is_ok() {
            printed = print(&hub, &server, unread, as_json);
        }
    }
    let mut errors = hub.problems();
    errors.retain(|problem| problem.severity() == Severity::Error);
    is_good &= errors.is_empty();
    if as_json && printed.is_ok() {
        printed = print_invalid(&hub, &errors);
    }
    hub.close().await;
    output::end(printed, is_good)
}

/// Waits until the first attempt to start this server is over, but not longer than `end`. Names a server that is slow.
async fn wait_for(hub: &Hub, server: &str, end: Instant) {
    if timeout(PATIENCE, started(hub, server)).await.is_err() {
        note(format_args!("(the MCP server {server} still starts)"));
        let _ = timeout_at(end, started(hub, server)).await;
    }
}

/// Prints a server with its tools.
fn print(hub: &Hub, server: &ServerSnapshot, unread: Option<String>, as_json: bool) -> Result<(), Failure> {
    let name = server.configured.name.as_str();
    let (state, why) = shown(&server.state);
    let why = unread.filter(|_| why.is_empty()).unwrap_or(why);
    let catalog = hub.catalog(name);
    let tools = catalog.as_deref().map(|catalog| catalog.tools()).unwrap_or_default();
    if as_json {
        let tools: Vec<_> =
            tools.iter().map(|tool| json!({"name": tool.name, "description": tool.description})).collect();
        return output::json(&json!({"server": name, "state": state, "why": why, "tools": tools}));
    }
    let color = if state == "connected" { Color::Green } else { Color::Red };
    let why = if why.is_empty() { described(&server.configured) } else { why };
    let mut text = format!("{name}: {} ({})", paint(state, color), plain(why.trim()));
    for tool in tools {
        let about = tool.description.as_deref().unwrap_or_default();
        let about: String = about.lines().next().unwrap_or_default().chars().take(WIDTH).collect();
        text += &format!("\n  {}  {}", plain(&tool.name), paint(&plain(&about), Color::Dim));
    }
    output::line(text)
}

/// Prints the servers without a valid definition, as JSON. The text form has only the errors, on the standard error.
fn print_invalid(hub: &Hub, errors: &[Problem]) -> Result<(), Failure> {
    let mut invalid = BTreeMap::<&str, Vec<String>>::new();
    for error in errors {
        if let Some(name) = error.server.as_ref().filter(|name| hub.server(name.as_str()).is_none()) {
            invalid.entry(name.as_str()).or_default().push(error.to_string());
        }
    }
    invalid.iter().try_for_each(|(name, why)| {
        output::json(&json!({"server": name, "state": "failed", "why": why.join("; "), "tools": []}))
    })
}

/// Returns the name of a state, and its reason if it has one.
fn shown(state: &ServerState) -> (&'static str, String) {
    match state {
        ServerState::Connected { .. } => ("connected", String::new()),
        ServerState::Starting => ("starting", "it did not start in time".to_owned()),
        ServerState::Disabled(DisabledBy::Untrusted) => ("not trusted", "see --trust".to_owned()),
        ServerState::Disabled(_) => ("disabled", "by the configuration".to_owned()),
        ServerState::NeedsAuthentication { challenge } => {
            ("needs authentication", unauthorized(challenge.as_deref()))
        }
        ServerState::Reconnecting { why, .. } => ("reconnecting", why.to_string()),
        ServerState::Failed { why } => ("failed", why.to_string()),
    }
}

/// How long a server may take to start before it is named.
const PATIENCE: Duration = Duration::from_secs(1);
/// The characters of a description in a list.
const WIDTH: usize = 100;
