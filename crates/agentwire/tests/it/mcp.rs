//! In-process MCP servers through the facade: declared in the handshake, and called.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use agentwire::{
    Error, Options, RawJson, Session, SessionBuilder, Warning,
    mcp::{McpServers, McpService, Outbox, ResponseFuture, Server, ServerInstance, ServerPolicy},
    protocol::mcp::{McpServerConfig, SdkServer, ToolPermission, ToolPolicy},
    transport::{
        Connected, MemoryPeerHandle, MemorySink, MemorySource, MemoryTransport, Transport, TransportError,
        memory,
    },
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::peer::{Peer, connect, connected, next_kind};

#[derive(Deserialize, JsonSchema)]
struct Division {
    dividend: i64,
    divisor: i64,
}

/// Returns a builder with the server `calc`, whose one tool divides.
fn with_calc() -> SessionBuilder {
    let calc = Server::new("calc", "1.2.3")
        .tool("divide", "Divides.", async |input: Division, _| (input.dividend / input.divisor).to_string());
    Session::builder().mcp_servers(McpServers::new().with("calc", calc))
}

/// Sends a message to the server `calc` and returns its answer.
async fn rpc(peer: &mut Peer, message: Value) -> Value {
    peer.ask("m", json!({"subtype": "mcp_message", "server_name": "calc", "message": message})).await;
    peer.response("m").await["response"]["mcp_response"].take()
}

#[test]
fn two_servers_of_one_name_are_refused() {
    let options = r#"{"mcpServers": {"calc": {"command": "calculator"}}}"#;
    let options: Options = serde_json::from_str(options).unwrap();
    let refused = with_calc().options(options).to_launch_plan();
    assert!(matches!(refused, Err(Error::Options { option: "mcpServers", .. })), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn server_is_opened_by_a_handshake() {
    let (session, mut peer, request) = connect(with_calc(), Peer::shake_hands).await;
    let _session = session.unwrap();
    assert_eq!(request["request"]["sdkMcpServers"], json!(["calc"]));

    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": "2"},
    }});
    let answer = rpc(&mut peer, initialize).await;
    assert_eq!(answer["id"], 0);
    assert_eq!(answer["result"]["serverInfo"], json!({"name": "calc", "version": "1.2.3"}));
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(rpc(&mut peer, initialized).await["result"], json!({}));
    let listed = rpc(&mut peer, json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await;
    assert_eq!(listed["result"]["tools"][0]["name"], "divide");
    assert_eq!(listed["result"]["tools"][0]["inputSchema"]["required"], json!(["dividend", "divisor"]));
}

/// A server that sends a request to the CLI when it is opened, and never answers.
struct Asks;

impl McpService for Asks {
    fn open(&self, outbox: Outbox) -> Box<dyn ServerInstance> {
        let control = outbox.control().clone();
        Box::new(Asking(tokio::spawn(async move { control.mcp_status().await.is_ok() })))
    }
}

struct Asking(tokio::task::JoinHandle<bool>);

impl ServerInstance for Asking {
    fn handle(&self, _: RawJson) -> ResponseFuture {
        Box::pin(std::future::pending())
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A transport that records when it was opened.
struct Noting(MemoryTransport, Arc<OnceLock<Instant>>);

impl Transport for Noting {
    type Source = MemorySource;
    type Sink = MemorySink;
    type Handle = MemoryPeerHandle;

    async fn open(self) -> Result<Connected<MemorySource, MemorySink, MemoryPeerHandle>, TransportError> {
        self.1.set(Instant::now()).unwrap();
        self.0.open().await
    }
}

#[tokio::test(start_paused = true)]
async fn the_handshake_is_the_first_line_and_servers_are_asked_before_the_transport_is_opened() {
    let limit = Duration::from_secs(5);
    let (began, opened) = (Instant::now(), Arc::new(OnceLock::new()));
    let (transport, peer) = memory(1 << 16);
    let mut peer = Peer::new(peer);
    let servers = McpServers::new().with("asks", Asks).manifest_limit(limit);
    let transport = Noting(transport, Arc::clone(&opened));
    let connecting = Session::builder().mcp_servers(servers).transport(transport).connect();
    let (session, line) = tokio::join!(connecting, async {
        let line = peer.line().await.unwrap();
        peer.reply(&line, json!({})).await;
        line
    });
    let _session = session.unwrap();
    assert_eq!(line["request"]["subtype"], "initialize");
    assert_eq!(*opened.get().unwrap() - began, limit);
    // The request sent earlier follows it.
    peer.request("mcp_status").await;
}

#[tokio::test(start_paused = true)]
async fn tool_is_called() {
    let (mut session, mut peer) = connected(with_calc()).await;
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "divide", "arguments": {"dividend": 42, "divisor": 6},
        "_meta": {"claudecode/toolUseId": "toolu_1", "progressToken": 2},
    }});
    let result = json!({"content": [{"type": "text", "text": "7"}], "isError": false});
    assert_eq!(rpc(&mut peer, call).await, json!({"jsonrpc": "2.0", "id": 2, "result": result}));
    // The session delivers none of it.
    peer.say(json!({"type": "after"})).await;
    assert_eq!(next_kind(&mut session).await, "after");
}

#[tokio::test(start_paused = true)]
async fn replaced_servers_keep_the_policy() {
    let policy =
        ServerPolicy::new().always_ask("divide").call_limit(Duration::from_secs(2)).stay_in_foreground();
    let servers = McpServers::new().with_policy("calc", Server::new("calc", "1"), policy);
    let (session, mut peer) = connected(Session::builder().mcp_servers(servers)).await;
    let mut own = SdkServer::new("calc");
    own.tools = vec![ToolPolicy::new("divide", ToolPermission::AlwaysDeny)];
    own.disable_auto_background = Some(false);
    let from_handshake = json!({"name": "calc", "type": "sdk", "timeout": 2000, "disableAutoBackground": true,
        "tools": [{"name": "divide", "permission_policy": "always_ask"}]});
    let from_caller = json!({"name": "calc", "type": "sdk", "timeout": 2000, "disableAutoBackground": false,
        "tools": [{"name": "divide", "permission_policy": "always_deny"}]});
    for (server, expected) in [(SdkServer::new("calc"), from_handshake), (own, from_caller)] {
        let servers = [("calc".into(), McpServerConfig::Sdk(server))].into();
        let peer = peer.answer("mcp_set_servers", json!({"added": [], "removed": [], "errors": {}}));
        let (reply, request) = tokio::join!(session.control().mcp_set_servers(servers), peer);
        reply.unwrap();
        assert_eq!(request["request"]["servers"], json!({"calc": expected}));
    }
}

#[tokio::test(start_paused = true)]
async fn old_cli_without_policies_causes_a_warning() {
    async fn warnings(policy: ServerPolicy, version: &str) -> Vec<Warning> {
        let servers = McpServers::new().with_policy("calc", Server::new("calc", "1"), policy);
        let help = json!({"name": "help", "description": "", "argumentHint": ""});
        let reply = json!({"claude_code_version": version, "commands": [help]});
        let (session, ..) = connect(Session::builder().mcp_servers(servers), async |peer| {
            peer.answer("initialize", reply).await
        })
        .await;
        session.unwrap().warnings().to_vec()
    }
    let asks = || ServerPolicy::new().always_ask("divide");
    let too_new = Warning::OptionTooNew {
        option: "sdkMcpServerConfigs",
        found: Some("2.1.197".to_owned()),
        needed: "2.1.330",
    };
    assert_eq!(warnings(asks(), "2.1.197").await, [too_new]);
    assert_eq!(warnings(asks(), "2.1.330").await, []);
    assert_eq!(warnings(ServerPolicy::new(), "2.1.197").await, []);
}
