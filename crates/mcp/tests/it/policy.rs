//! The servers' policies in the handshake.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use agentwire_mcp::{McpServers, ServerPolicy};
use agentwire_protocol::{RawJson, control::Initialize};
use serde_json::{Value, json};

use crate::{
    cli::Cli,
    played::{Answer, Played},
};

fn declared(servers: &McpServers) -> Value {
    let mut initialize = Initialize::default();
    servers.declare(&mut initialize);
    RawJson::encode(&initialize).unwrap().decode().unwrap()
}

fn server() -> Played {
    Played::new(|_, _| Answer::Result(json!({})))
}

#[test]
fn a_policy_is_declared_beside_the_name() {
    let policy = ServerPolicy::new()
        .call_limit(Duration::from_millis(1500))
        .always_deny("wipe")
        .always_ask("wipe")
        .always_deny("format")
        .stay_in_foreground();
    let servers = McpServers::new().with("plain", server()).with_policy("strict", server(), policy);
    assert_eq!(
        declared(&servers),
        json!({
            "sdkMcpServers": ["plain", "strict"],
            "sdkMcpServerConfigs": {"strict": {
                "timeout": 1500,
                "disableAutoBackground": true,
                "tools": [
                    {"name": "wipe", "permission_policy": "always_ask"},
                    {"name": "format", "permission_policy": "always_deny"},
                ],
            }},
        })
    );
    // Replaces the server that has a policy.
    assert_eq!(declared(&servers.with("strict", server())), json!({"sdkMcpServers": ["plain", "strict"]}));
}

#[test]
fn a_limit_that_the_cli_would_not_keep_is_the_nearest_one_that_it_keeps() {
    for (limit, millis) in [(Duration::from_millis(1), 1000), (Duration::MAX, 2_147_483_647)] {
        let servers = McpServers::new().with_policy("s", server(), ServerPolicy::new().call_limit(limit));
        assert_eq!(declared(&servers)["sdkMcpServerConfigs"]["s"], json!({"timeout": millis}));
    }
}

/// Returns a server that records the names of the called tools.
fn recording() -> (Played, Arc<Mutex<Vec<Value>>>) {
    let called = Arc::new(Mutex::new(Vec::new()));
    let calls = Arc::clone(&called);
    let server = Played::new(move |message, _| {
        if message["method"] == "tools/call" {
            calls.lock().unwrap().push(message["params"]["name"].clone());
            return Answer::Result(json!({"content": []}));
        }
        Answer::Result(json!({"tools": []}))
    });
    (server, called)
}

#[tokio::test]
async fn a_denied_tool_is_refused_for_every_cli() {
    let (server, called) = recording();
    let policy = ServerPolicy::new().always_deny("wipe").always_ask("read");
    let servers = McpServers::new().with_policy("s", server, policy);
    let mut cli = Cli::start(servers.bridge()).await;
    let refused = cli.call("wipe", json!({})).await;
    assert_eq!(refused["isError"], true, "{refused}");
    assert_eq!(cli.call("read", json!({})).await, json!({"content": []}));
    assert_eq!(*called.lock().unwrap(), ["read"]);
}

#[tokio::test]
async fn a_call_with_a_repeated_key_does_not_reach_the_server() {
    let (server, called) = recording();
    let policy = ServerPolicy::new().always_deny("wipe");
    let mut cli = Cli::start(McpServers::new().with_policy("s", server, policy).bridge()).await;
    let params = r#"{"name":"wipe","name":"wipe","arguments":{}}"#;
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
    let request = format!(r#"{{"subtype":"mcp_message","server_name":"s","message":{message}}}"#);
    let frame = format!(r#"{{"type":"control_request","request_id":"one","request":{request}}}"#);
    cli.peer.write(format!("{frame}\n").into_bytes()).await.unwrap();
    let answer = cli.answer().await.1.unwrap();
    assert_eq!(answer["mcp_response"]["error"]["code"], -32602, "{answer}");
    assert!(called.lock().unwrap().is_empty());
}
