//! All servers as one MCP server, over a transport of rmcp, as another agent uses it.

mod calls;
mod lists;
mod names;
mod resources;
mod slow_servers;

use std::{
    fs,
    time::{Duration, Instant},
};

use agentwire_hub::{
    Approval, CallDecision, CallRequest, Gateway, Hub, Use,
    config::{Launch, ServerConfig, Sources},
};
use futures_util::StreamExt as _;
use rmcp::{
    ClientHandler, RoleClient, RoleServer, ServiceExt as _,
    model::{CallToolResult, ProgressNotificationParam},
    service::{NotificationContext, RunningService},
};
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::timeout};

use crate::{
    asking::params,
    gateway_program,
    server::{LIMIT, config, program},
};

/// A client that forwards notifications.
#[derive(Clone)]
struct Client(mpsc::UnboundedSender<Received>);

#[derive(Debug, PartialEq)]
enum Received {
    Tools,
    Resources,
    Prompts,
    Progress(f64),
}

impl ClientHandler for Client {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.send(Received::Tools).unwrap();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.send(Received::Resources).unwrap();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.send(Received::Prompts).unwrap();
    }

    async fn on_progress(&self, step: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.send(Received::Progress(step.progress)).unwrap();
    }
}

struct Connected {
    hub: Hub,
    client: RunningService<RoleClient, Client>,
    events: mpsc::UnboundedReceiver<Received>,
    _server: RunningService<RoleServer, Gateway>,
}

async fn connected(hub: Hub, with: impl FnOnce(Gateway) -> Gateway) -> Connected {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (sender, events) = mpsc::unbounded_channel();
    let gateway = with(Gateway::new(&hub).patience(LIMIT));
    let (server, client) = tokio::join!(gateway.serve(ours), Client(sender).serve(theirs));
    Connected { hub, client: client.unwrap(), events, _server: server.unwrap() }
}

fn hub(names: &[&str]) -> Hub {
    hub_of(names, &config())
}

fn hub_of(names: &[&str], config: &ServerConfig) -> Hub {
    let sources = names.iter().fold(Sources::new(), |sources, name| sources.server(*name, config.clone()));
    let reading = Approval::asked(async |call| match call.what {
        Use::Resource => CallDecision::Allow,
        _ => CallDecision::Deny { reason: None },
    });
    Hub::builder().sources(sources).approval(reading).build()
}

/// Returns the server with a variable that makes it lack a capability.
fn lacking(variable: &str) -> ServerConfig {
    with_variable(variable, "1")
}

fn with_variable(variable: &str, value: &str) -> ServerConfig {
    let (mut config, mut program) = (config(), program());
    program.env.insert(variable.to_owned(), value.to_owned());
    config.launch = program.into();
    config
}

/// Returns a program that runs this script and is no server.
fn shell(script: &str) -> ServerConfig {
    let mut config = config();
    let Launch::Stdio(stdio) = &mut config.launch else { panic!() };
    stdio.args = vec!["-c".to_owned(), script.to_owned()];
    config
}

/// How long the requests of a client wait in tests of delays.
const PATIENCE: Duration = Duration::from_secs(2);
/// A delay in milliseconds that no test waits for.
const NEVER: u64 = 3_600_000;

async fn one() -> Connected {
    connected(hub(&["test"]), |gateway| gateway).await
}

/// Requests the tools until they contain this one.
async fn until_listed(connected: &Connected, tool: &str) {
    let listed = async {
        while !connected.tools().await.iter().any(|listed| listed == tool) {
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, listed).await.unwrap();
}

impl Connected {
    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        self.client.call_tool(params(tool, arguments)).await.unwrap()
    }

    async fn tools(&self) -> Vec<String> {
        let tools = self.client.list_all_tools().await.unwrap();
        tools.into_iter().map(|tool| tool.name.into_owned()).collect()
    }

    /// Returns the URI of a tool's view.
    async fn view(&self, tool: &str) -> Value {
        let tools = self.client.list_all_tools().await.unwrap();
        let tool = tools.iter().find(|listed| listed.name == *tool).unwrap();
        serde_json::to_value(&tool.meta).unwrap()["ui"]["resourceUri"].clone()
    }

    /// Returns how often the tools of the server `test` were listed.
    async fn listings(&self) -> u64 {
        let received = self.call("test__received", json!({})).await;
        serde_json::from_str::<Value>(text(&received)).unwrap()["listings"].as_u64().unwrap()
    }

    /// Requests the tools several times. No request may wait for a server.
    async fn lists_at_once(&self) {
        for _ in 0..5 {
            let start = Instant::now();
            assert!(!self.tools().await.is_empty());
            assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
        }
    }

    async fn next_event(&mut self) -> Received {
        timeout(LIMIT, self.events.recv()).await.unwrap().unwrap()
    }
}

pub(crate) fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[tokio::test]
async fn gateway_serves_a_client_over_stdio() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner.json");
    let Launch::Stdio(program) = config().launch else { panic!() };
    let server = json!({"command": program.command, "args": program.args});
    fs::write(&inner, json!({"mcpServers": {"test": server}}).to_string()).unwrap();
    let outer = folder.path().join("outer.json");
    let servers = json!({"mcpServers": {"inner": gateway_program::config(&inner)}});
    fs::write(&outer, servers.to_string()).unwrap();
    let hub = Hub::builder().sources(Sources::new().global(outer)).build();
    assert!(hub.wait_until_ready(LIMIT).await);
    assert!(hub.tools().iter().any(|tool| &*tool.name == "mcp__inner__test__echo"), "{:?}", hub.snapshot());
    let call = CallRequest::new("inner", "test__echo").arguments(json!({"text": "hello"}));
    let outcome = hub.call(call).await.unwrap();
    assert_eq!(outcome.content[0].as_text().unwrap().text, "hello");
}

#[tokio::test]
async fn hub_ends_with_its_last_client() {
    let Connected { hub, client, events: _events, _server } = one().await;
    client.list_all_tools().await.unwrap();
    let mut events = hub.events();
    drop(hub);
    client.cancel().await.unwrap();
    _server.waiting().await.unwrap();
    // The stream of events ends with the hub.
    let end = async { while events.next().await.is_some() {} };
    timeout(LIMIT, end).await.unwrap();
}
