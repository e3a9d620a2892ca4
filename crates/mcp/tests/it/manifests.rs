//! The manifests of servers, which are made before the handshake.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use agentwire_mcp::{Bridge, McpServers, McpService, Outbox, Server, ServerInstance};
use agentwire_protocol::{
    RawJson,
    control::{Initialize, InitializeReply},
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    cli::{Cli, NoInput, initialize},
    played::{Answer, Played, hello},
};

fn echo(name: &str) -> Server {
    Server::new(name, "1.2.3").instructions("Ask.").tool("echo", "Says it.", async |_: NoInput, _| "said")
}

async fn start(servers: McpServers) -> (Cli, Bridge) {
    let bridge = servers.bridge();
    (Cli::start(bridge.clone()).await, bridge)
}

/// Returns the manifests as the handshake would contain them.
async fn manifests(cli: &Cli, bridge: &Bridge) -> Value {
    let manifests = bridge.manifests(&cli.control).await;
    RawJson::encode(&manifests).unwrap().decode().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_manifest_contains_the_servers_own_answers() {
    let (mut cli, bridge) = start(McpServers::new().with("s", echo("a")).with("t", echo("b"))).await;
    let manifests = manifests(&cli, &bridge).await;
    cli.nothing_more();
    for server in ["s", "t"] {
        let mut answers = Vec::new();
        for message in [initialize(), json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})] {
            cli.post("one", server, message).await;
            answers.push(cli.answer().await.1.unwrap()["mcp_response"]["result"].take());
        }
        assert_eq!(manifests[server]["initializeResult"], answers[0]);
        assert_eq!(manifests[server]["toolsListResult"], answers[1]);
    }
    assert_eq!(manifests["t"]["initializeResult"]["serverInfo"], json!({"name": "b", "version": "1.2.3"}));
    assert_eq!(manifests.as_object().unwrap().len(), 2);
    // As if there were no manifest.
    assert_eq!(cli.call("echo", json!({})).await["content"][0]["text"], "said");
}

#[tokio::test]
async fn any_manifest_limit_is_accepted() {
    let servers = McpServers::new().with("s", echo("a")).manifest_limit(Duration::MAX);
    let (cli, bridge) = start(servers).await;
    assert_eq!(manifests(&cli, &bridge).await["s"]["initializeResult"]["serverInfo"]["name"], "a");
}

#[tokio::test(start_paused = true)]
async fn the_instance_that_makes_the_manifest_serves_the_session() {
    #[derive(Clone, Default)]
    struct Counted(Arc<AtomicUsize>);
    impl McpService for Counted {
        fn open(&self, outbox: Outbox) -> Box<dyn ServerInstance> {
            let number = self.0.fetch_add(1, Ordering::Relaxed);
            let play = Played::new(move |message, _| {
                Answer::Result(match message["method"].as_str() {
                    Some("initialize") => hello(),
                    _ => json!({"tools": [], "number": number}),
                })
            });
            play.open(outbox)
        }
    }
    let server = Counted::default();
    let servers = McpServers::new().with("s", server.clone());
    for number in 0..2 {
        let (mut cli, bridge) = start(servers.clone()).await;
        assert_eq!(manifests(&cli, &bridge).await["s"]["toolsListResult"]["number"], number);
        let listed = cli.rpc(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await;
        assert_eq!(listed["result"]["number"], number);
    }
    assert_eq!(server.0.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn a_late_server_has_no_manifest() {
    let hangs = Played::new(|message, _| match message["method"].as_str() {
        Some("initialize") => Answer::Later(Box::pin(pending())),
        _ => Answer::Result(json!({})),
    });
    let half = Played::new(|message, _| match message["method"].as_str() {
        Some("tools/list") => Answer::Later(Box::pin(pending())),
        _ => Answer::Result(hello()),
    });
    let limit = Duration::from_millis(700);
    let servers = McpServers::new().manifest_limit(limit).with("hangs", hangs).with("half", half);
    let (cli, bridge) = start(servers.with("s", echo("s"))).await;
    let began = Instant::now();
    let manifests = manifests(&cli, &bridge).await;
    assert_eq!(began.elapsed(), limit);
    assert_eq!(manifests.as_object().unwrap().keys().collect::<Vec<_>>(), ["s"]);
}

#[tokio::test(start_paused = true)]
async fn a_failing_server_has_no_manifest() {
    struct Bomb;
    impl McpService for Bomb {
        fn open(&self, _: Outbox) -> Box<dyn ServerInstance> {
            panic!("at once")
        }
    }
    let first = |result: fn() -> Answer| {
        Played::new(move |message, _| match message["method"].as_str() {
            Some("initialize") => result(),
            _ => Answer::Result(json!({"tools": []})),
        })
    };
    let old = || {
        let mut hello = hello();
        hello["protocolVersion"] = "2024-11-05".into();
        Answer::Result(hello)
    };
    let servers = McpServers::new()
        .with("old", first(old))
        .with("refuses", first(|| Answer::Error(json!({"code": -32603, "message": "no"}))))
        .with("no object", first(|| Answer::Result(json!("hello"))))
        .with("silent", first(|| Answer::Later(Box::pin(async { None }))))
        .with("panics", first(|| panic!("in the middle")))
        .with("bomb", Bomb)
        .with("s", echo("s"));
    let (cli, bridge) = start(servers).await;
    let began = Instant::now();
    let manifests = manifests(&cli, &bridge).await;
    assert_eq!(began.elapsed(), Duration::ZERO, "a failure is found before the limit");
    assert_eq!(manifests.as_object().unwrap().keys().collect::<Vec<_>>(), ["s"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_of_several_pages_or_of_nothing_is_left_out() {
    let played = |capabilities: Value, listed: Value| {
        Played::new(move |message, _| {
            let mut hello = hello();
            hello["capabilities"] = capabilities.clone();
            match message["method"].as_str() {
                Some("initialize") => Answer::Result(hello),
                Some("tools/list") => {
                    assert!(!listed.is_null(), "it is not asked for tools");
                    Answer::Result(listed.clone())
                }
                _ => Answer::Result(json!({})),
            }
        })
    };
    let pages = json!({"tools": [], "nextCursor": "2"});
    let servers = McpServers::new()
        .with("pages", played(json!({"tools": {}}), pages))
        .with("none", played(json!({}), Value::Null));
    let (cli, bridge) = start(servers).await;
    let manifests = manifests(&cli, &bridge).await;
    for server in ["pages", "none"] {
        assert_eq!(manifests[server].as_object().unwrap().keys().collect::<Vec<_>>(), ["initializeResult"]);
    }
}

/// A server that announces a change of its tools at `notifications/initialized`.
fn restless() -> Played {
    Played::new(|message, outbox| match message["method"].as_str() {
        Some("initialize") => Answer::Result(hello()),
        Some("notifications/initialized") => Answer::Later(Box::pin(async move {
            let note = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            outbox.send(RawJson::encode(&note).unwrap()).await.unwrap();
            None
        })),
        _ => Answer::Result(json!({"tools": []})),
    })
}

#[tokio::test(start_paused = true)]
async fn a_servers_own_messages_wait_for_the_handshake() {
    let (mut cli, bridge) = start(McpServers::new().with("s", restless())).await;
    let manifests = manifests(&cli, &bridge).await;
    // The manifest leaves out a list that has changed.
    assert_eq!(manifests["s"].as_object().unwrap().keys().collect::<Vec<_>>(), ["initializeResult"]);
    let control = cli.control.clone();
    let initialize = Initialize::default();
    let (reply, ()) = tokio::join!(control.call(&initialize), async {
        let line = cli.line().await;
        assert_eq!(line["request"]["subtype"], "initialize", "{line}");
        let initialized = json!({"sdk_mcp_manifests_parked": {"s": "parked"}});
        cli.reply(&line, json!({"subtype": "success", "response": initialized})).await;
    });
    cli.nothing_more();
    bridge.on_initialized(&reply.unwrap());
    assert_eq!(cli.line().await["request"]["message"]["method"], "notifications/tools/list_changed");
}

#[tokio::test(start_paused = true)]
async fn a_message_of_the_cli_opens_the_gate_too() {
    let (mut cli, bridge) = start(McpServers::new().with("s", restless())).await;
    manifests(&cli, &bridge).await;
    cli.post("one", "s", json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await;
    // The notification was sent before the answer, so it is written first.
    assert_eq!(cli.line().await["request"]["message"]["method"], "notifications/tools/list_changed");
    assert_eq!(cli.answer().await.0, "one");
}

#[tokio::test]
async fn no_server_is_queried_without_a_manifest_limit() {
    let never = Played::new(|message, _| match message["id"].as_i64() {
        Some(5) => Answer::Result(json!({})),
        _ => panic!("it is not asked"),
    });
    let (mut cli, bridge) = start(McpServers::new().with("s", never).manifest_limit(None)).await;
    assert_eq!(manifests(&cli, &bridge).await, json!({}));
    bridge.on_initialized(&InitializeReply::default());
    assert!(cli.rpc(json!({"jsonrpc": "2.0", "id": 5, "method": "x"})).await["result"].is_object());
}
