//! `agentwire hub list`: the servers, their states and their tools.

use agentwire_hub::config::Severity;
use agentwire_hub::{Approval, DisabledBy, ServerState};
use serde_json::json;

use super::Servers;
use super::servers::{described, start_limit, unread};
use crate::failure::Failure;
use crate::output::{self, Color, paint, plain};

/// List the servers with their states and tools
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    servers: Servers,
}

/// Starts the servers, and prints each. The exit code is 1 if one does not work, or a configuration has an error.
pub(super) async fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let hub = args.servers.start(Approval::denied())?;
    hub.wait_until_ready(start_limit(hub.snapshot())).await;
    let is_read = hub.problems().iter().all(|problem| problem.severity() != Severity::Error);
    let (mut is_good, mut printed) = (is_read, Ok(()));
    for server in hub.snapshot() {
        let name = server.configured.name.as_str();
        let (state, why) = shown(&server.state);
        let unread = unread(&hub, name);
        is_good &= unread.is_none();
        let why = unread.filter(|_| why.is_empty()).unwrap_or(why);
        is_good &= matches!(server.state, ServerState::Connected { .. } | ServerState::Disabled(_));
        let catalog = hub.catalog(name);
        let tools = catalog.as_deref().map(|catalog| catalog.tools()).unwrap_or_default();
        if printed.is_err() {
            continue;
        }
        if as_json {
            let tools: Vec<_> = tools
                .iter()
                .map(|tool| json!({"name": tool.name, "description": tool.description}))
                .collect();
            printed = output::json(&json!({"server": name, "state": state, "why": why, "tools": tools}));
            continue;
        }
        let color = if state == "connected" { Color::Green } else { Color::Red };
        let why = if why.is_empty() { described(&server.configured) } else { why };
        let mut text = format!("{name}: {} ({})", paint(state, color), plain(why.trim()));
        for tool in tools {
            let about = tool.description.as_deref().unwrap_or_default();
            let about: String = about.lines().next().unwrap_or_default().chars().take(WIDTH).collect();
            text += &format!("\n  {}  {}", plain(&tool.name), paint(&plain(&about), Color::Dim));
        }
        printed = output::line(text);
    }
    hub.close().await;
    output::end(printed, is_good)
}

/// Returns the name of a state, and its reason if it has one.
fn shown(state: &ServerState) -> (&'static str, String) {
    match state {
        ServerState::Connected { .. } => ("connected", String::new()),
        ServerState::Starting => ("starting", "it did not start in time".to_owned()),
        ServerState::Disabled(DisabledBy::Untrusted) => ("not trusted", "see --trust".to_owned()),
        ServerState::Disabled(_) => ("disabled", "by the configuration".to_owned()),
        ServerState::NeedsAuthentication { .. } => {
            ("needs authentication", "it needs a valid header Authorization in its configuration".to_owned())
        }
        ServerState::Reconnecting { why, .. } => ("reconnecting", why.to_string()),
        ServerState::Failed { why } => ("failed", why.to_string()),
    }
}

/// The characters of a description in a list.
const WIDTH: usize = 100;
