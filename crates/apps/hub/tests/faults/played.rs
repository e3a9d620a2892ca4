//! Misbehaving servers for a test.

use std::time::Duration;

use agentwire_hub::{
    Backoff, CallError, CallRequest, Hub, HubBuilder, ServerState,
    config::{Configuration, Patterns, ServerConfig, Sources, Stdio},
};
use agentwire_testkit::fault_mcp;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::{runtime::Runtime, time::timeout};

use crate::left::{BOUND, Mark};

/// Runs a test. Fails if it hangs, or if a process of a server exists after the test and its runtime.
pub(crate) fn play(test: impl AsyncFnOnce(&Mark)) {
    let mark = Mark::new();
    let runtime = runtime();
    runtime.block_on(async { timeout(2 * BOUND, test(&mark)).await.expect("it hangs") });
    drop(runtime);
    mark.leaves_nothing();
}

/// Runs a test with a hub that is connected to one server with these faults, `s`.
pub(crate) fn with_server(faults: &[&str], test: impl AsyncFnOnce(&Mark, Hub)) {
    play(async |mark| test(mark, mark.connected(faults).await).await);
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

impl Mark {
    /// Returns a server with these faults. Its tools need no approval.
    pub(crate) fn server(&self, faults: &[&str]) -> ServerConfig {
        let mut stdio = Stdio::new(std::env::current_exe().unwrap().to_str().unwrap());
        stdio.args = vec![fault_mcp::FLAG.to_owned()];
        stdio.args.extend(faults.iter().map(|fault| format!("--fault-{fault}")));
        stdio.env.insert(Mark::VARIABLE.to_owned(), self.value().to_owned());
        let mut config = ServerConfig::new(stdio);
        config.always_allow = Patterns::from_iter(["*"]);
        config
    }

    /// Returns a shell as a server that does not speak MCP.
    pub(crate) fn shell(&self, script: &str) -> ServerConfig {
        let mut stdio = Stdio::new("sh");
        stdio.args = ["-c", script].map(str::to_owned).into();
        stdio.env.insert(Mark::VARIABLE.to_owned(), self.value().to_owned());
        ServerConfig::new(stdio)
    }

    /// Returns a hub with one server, `s`.
    pub(crate) fn hub(&self, faults: &[&str]) -> HubBuilder {
        hasty(Sources::new().server("s", self.server(faults)))
    }

    /// Returns a hub with one connected server, `s`.
    pub(crate) async fn connected(&self, faults: &[&str]) -> Hub {
        let hub = self.hub(faults).build();
        becomes(&hub, "s", is_connected).await;
        hub
    }
}

/// Returns a builder with short delays and grace periods.
pub(crate) fn hasty(sources: Sources) -> HubBuilder {
    let grace = Duration::from_millis(300);
    let wait = Duration::from_millis(20);
    Hub::builder().sources(sources).grace(grace, grace).backoff(Backoff {
        first: wait,
        longest: wait * 4,
        ..Backoff::default()
    })
}

/// Returns a configuration with these servers.
pub(crate) fn configuration<const N: usize>(servers: [(&str, ServerConfig); N]) -> Configuration {
    let none = Sources::new();
    servers.into_iter().fold(none, |sources, (name, config)| sources.server(name, config)).read()
}

pub(crate) fn is_connected(state: &ServerState) -> bool {
    matches!(state, ServerState::Connected { .. })
}

pub(crate) fn state(hub: &Hub, server: &str) -> ServerState {
    hub.server(server).unwrap().state
}

/// Waits until a server has this state.
pub(crate) async fn becomes(
    hub: &Hub,
    server: &str,
    is_wanted: impl Fn(&ServerState) -> bool,
) -> ServerState {
    let mut events = hub.events();
    loop {
        let now = state(hub, server);
        if is_wanted(&now) {
            return now;
        }
        events.next().await.expect("the hub has ended");
    }
}

/// Waits until a server has failed, and returns the reason.
pub(crate) async fn failed(hub: &Hub, server: &str) -> String {
    match becomes(hub, server, |state| matches!(state, ServerState::Failed { .. })).await {
        ServerState::Failed { why } => why.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Calls a tool of `s` and returns its text.
pub(crate) async fn call(hub: &Hub, tool: &str, arguments: Value) -> Result<String, CallError> {
    let outcome = hub.call(CallRequest::new("s", tool).arguments(arguments)).await?;
    Ok(outcome.content[0].as_text().unwrap().text.clone())
}

pub(crate) async fn echo(hub: &Hub) {
    assert_eq!(call(hub, "echo", json!({"text": "hello"})).await.unwrap(), "hello");
}

/// Returns what the server has received.
pub(crate) async fn seen(hub: &Hub) -> Value {
    serde_json::from_str(&call(hub, "seen", json!({})).await.unwrap()).unwrap()
}
