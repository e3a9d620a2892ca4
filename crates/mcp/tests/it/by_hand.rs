//! The bridge's guarantees, with a server that implements `McpService` directly.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use agentwire_control::{CallContext, FailureKind, Responder};
use agentwire_mcp::{McpServers, McpService, Outbox, ResponseFuture, ServerInstance};
use agentwire_protocol::{InboundRequest, RawJson};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::{
    cli::{Cli, call, cancelled, initialize, within},
    played::{Answer, Played},
};

/// A server with a behaviour for each method name.
#[derive(Clone)]
struct ByHand {
    seen: mpsc::Sender<String>,
    opened: Arc<AtomicUsize>,
}

struct Opened {
    seen: mpsc::Sender<String>,
    outbox: Outbox,
    ended: AtomicBool,
}

impl ByHand {
    fn new() -> (Self, mpsc::Receiver<String>) {
        let (seen, came) = mpsc::channel(256);
        (Self { seen, opened: Arc::default() }, came)
    }
}

impl McpService for ByHand {
    fn open(&self, outbox: Outbox) -> Box<dyn ServerInstance> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        Box::new(Opened { seen: self.seen.clone(), outbox, ended: AtomicBool::new(false) })
    }
}

/// A server that panics when it is opened.
struct Unopenable;

impl McpService for Unopenable {
    fn open(&self, _: Outbox) -> Box<dyn ServerInstance> {
        panic!("as told");
    }
}

/// Reports when it is dropped.
struct Dropped(mpsc::Sender<String>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.try_send("dropped".to_owned()).unwrap();
    }
}

impl ServerInstance for Opened {
    fn handle(&self, message: RawJson) -> ResponseFuture {
        let message: Value = message.decode().unwrap();
        let method = message["method"].as_str().unwrap_or("response").to_owned();
        self.seen.try_send(method.clone()).unwrap();
        let id = message["id"].clone();
        if method == "end" {
            self.ended.store(true, Ordering::Relaxed);
        }
        assert_ne!(method, "panic early", "as told");
        let (outbox, dropped) = (self.outbox.clone(), Dropped(self.seen.clone()));
        Box::pin(async move {
            let answer =
                |result: Value| RawJson::encode(&json!({"jsonrpc": "2.0", "id": id, "result": result})).ok();
            match &*method {
                "hang" => {
                    let _dropped = dropped;
                    pending().await
                }
                "panic" => panic!("as told"),
                "nothing" => None,
                "speak" => {
                    for text in ["first", "second"] {
                        let note = json!({"jsonrpc": "2.0", "method": "notifications/x", "params": text});
                        outbox.send(RawJson::encode(&note).unwrap()).await.unwrap();
                    }
                    answer(json!("sent"))
                }
                "tools/list" => answer(json!({"tools": []})),
                _ => answer(message["params"].clone()),
            }
        })
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }
}

async fn start() -> (Cli, mpsc::Receiver<String>, ByHand) {
    let (server, came) = ByHand::new();
    (Cli::serving(server.clone()).await, came, server)
}

/// Waits until the server reports this event.
async fn until(came: &mut mpsc::Receiver<String>, expected: &str) {
    while within(came.recv()).await.unwrap() != expected {}
}

fn request(id: impl Into<Value>, method: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": {"x": 1}})
}

fn failure(id: impl Into<Value>, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "error": {"code": code, "message": message}})
}

#[tokio::test]
async fn a_request_is_answered_in_its_envelope() {
    let (mut cli, _came, server) = start().await;
    for id in [json!(1), json!("a"), json!(2.5)] {
        let expected = json!({"jsonrpc": "2.0", "id": id, "result": {"x": 1}});
        assert_eq!(cli.rpc(request(id, "echo")).await, expected);
    }
    assert_eq!(server.opened.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn notifications_and_responses_are_acknowledged() {
    let (mut cli, mut came, _) = start().await;
    let acknowledged = json!({"jsonrpc": "2.0", "result": {}, "id": 0});
    assert_eq!(cli.rpc(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await, acknowledged);
    assert_eq!(cli.rpc(json!({"jsonrpc": "2.0", "id": 9, "result": {}})).await, acknowledged);
    until(&mut came, "notifications/initialized").await;
    until(&mut came, "response").await;
}

#[tokio::test]
async fn an_unknown_server_is_named_with_the_known_ones() {
    let (server, _came) = ByHand::new();
    let servers = McpServers::new().with("a", server.clone()).with("b", server);
    assert_eq!(servers.names(), ["a".into(), "b".into()]);
    let mut cli = Cli::start(servers.bridge()).await;
    cli.post("one", "c", request(1, "ping")).await;
    let why = "no in-process MCP server is called `c`; known: `a`, `b`".to_owned();
    assert_eq!(cli.answer().await, ("one".to_owned(), Err(why)));
}

#[tokio::test]
async fn a_malformed_message_gets_an_error_with_its_id() {
    let (mut cli, _came, _) = start().await;
    let why = |why| format!("the message is not JSON-RPC: {why}");
    assert_eq!(
        cli.rpc(json!({"id": 5, "method": "ping"})).await,
        failure(5, -32603, &why("`jsonrpc` must be \"2.0\""))
    );
    assert_eq!(
        cli.rpc(json!(["x"])).await,
        failure(Value::Null, -32603, &why("a message must be an object with each field once"))
    );
    assert_eq!(cli.rpc(request(6, "echo")).await["result"], json!({"x": 1}));
}

#[tokio::test]
async fn an_id_in_flight_is_refused_and_free_afterwards() {
    let (mut cli, mut came, _) = start().await;
    cli.post("first", "s", request(1, "hang")).await;
    until(&mut came, "hang").await;
    cli.post("second", "s", request(1, "echo")).await;
    let why = "a request with the JSON-RPC id 1 is in flight already".to_owned();
    assert_eq!(cli.answer().await, ("second".to_owned(), Err(why)));
    cli.cancel("first").await;
    until(&mut came, "dropped").await;
    assert_eq!(cli.rpc(request(1, "echo")).await["result"], json!({"x": 1}));
}

#[tokio::test]
async fn an_id_is_free_as_soon_as_its_request_is_cancelled() {
    let (mut cli, mut came, _) = start().await;
    cli.post("slow", "s", request(1, "hang")).await;
    until(&mut came, "hang").await;
    let lines = [("note", cancelled(1)), ("again", request(1, "hang"))];
    cli.post_all(&lines).await;
    let mut answers = [cli.answer().await, cli.answer().await];
    answers.sort_by(|one, other| one.0.cmp(&other.0));
    let [(note, acknowledged), (slow, cancelled)] = answers;
    assert_eq!((note.as_str(), slow.as_str()), ("note", "slow"));
    assert_eq!(acknowledged.unwrap()["mcp_response"], json!({"jsonrpc": "2.0", "result": {}, "id": 0}));
    assert_eq!(cancelled.unwrap()["mcp_response"], failure(1, -32800, "the request was cancelled"));
    until(&mut came, "dropped").await;
    // The new request is in flight: the end of the old one has not freed the id.
    cli.post("third", "s", request(1, "echo")).await;
    let why = "a request with the JSON-RPC id 1 is in flight already".to_owned();
    assert_eq!(cli.answer().await, ("third".to_owned(), Err(why)));
    assert_eq!(cli.rpc(request(2, "echo")).await["result"], json!({"x": 1}));
}

#[tokio::test]
async fn a_new_connection_cancels_the_requests_of_the_old_one() {
    let (mut cli, mut came, _) = start().await;
    cli.post("old", "s", request(1, "hang")).await;
    until(&mut came, "hang").await;
    cli.post("new", "s", initialize()).await;
    let mut answers = [cli.answer().await, cli.answer().await];
    answers.sort_by(|one, other| one.0.cmp(&other.0));
    let [(_, initialized), (_, old)] = answers;
    assert_eq!(initialized.unwrap()["mcp_response"]["id"], 0);
    assert_eq!(old.unwrap()["mcp_response"], failure(1, -32800, "the request was cancelled"));
    until(&mut came, "dropped").await;
    assert_eq!(cli.rpc(request(1, "echo")).await["result"], json!({"x": 1}));
    cli.post("new", "s", request(1, "hang")).await;
    until(&mut came, "hang").await;
    cli.post("third", "s", request(1, "echo")).await;
    assert!(cli.answer().await.1.unwrap_err().contains("in flight already"));
    // A cancellation applies to the newest request with the id.
    cli.post("note", "s", cancelled(1)).await;
    let answers = [cli.answer().await.0, cli.answer().await.0];
    assert!(answers.contains(&"new".to_owned()), "{answers:?}");
}

#[tokio::test]
async fn a_call_is_cancelled_while_its_tools_are_listed() {
    let (seen, mut came) = mpsc::channel(16);
    let no_list = Played::new(move |message, _| {
        seen.try_send(message["method"].as_str().unwrap().to_owned()).unwrap();
        if message.get("id").is_some() {
            Answer::Later(Box::pin(pending()))
        } else {
            Answer::Result(Value::Null)
        }
    });
    let mut cli = Cli::serving(no_list).await;
    cli.post("call", "s", call(3, "t", json!({}))).await;
    assert_eq!(within(came.recv()).await.unwrap(), "tools/list");
    cli.post("note", "s", cancelled(3)).await;
    let answers = [cli.answer().await.0, cli.answer().await.0];
    assert!(answers.contains(&"call".to_owned()), "{answers:?}");
    assert_eq!(within(came.recv()).await.unwrap(), "notifications/cancelled");
}

#[tokio::test]
async fn answer_that_is_no_response_to_the_request_is_an_error() {
    let why = "the MCP server's answer is not a response to this request";
    for (answer, is_right) in [
        (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, true),
        (r#"{"jsonrpc":"2.0","id":7.0,"result":{}}"#, true),
        (r#"{"jsonrpc":"2.0","id":8,"result":{}}"#, false),
        (r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#, false),
        ("[1,2]", false),
    ] {
        let server = Played::new(move |_, _| {
            let answer = RawJson::parse(answer).unwrap();
            Answer::Later(Box::pin(async { Some(answer) }))
        });
        let mut cli = Cli::serving(server).await;
        let came = cli.rpc(request(7, "resources/list")).await;
        if is_right {
            assert_eq!(came["result"], json!({}), "{answer}");
        } else {
            assert_eq!(came, failure(7, -32603, why), "{answer}");
        }
    }
}

#[tokio::test]
async fn a_panic_fails_its_message_alone() {
    let (mut cli, _came, _) = start().await;
    assert_eq!(cli.rpc(request(1, "panic")).await, failure(1, -32603, "the MCP server panicked: as told"));
    assert_eq!(cli.rpc(request(2, "nothing")).await, failure(2, -32603, "the MCP server did not answer"));
    cli.post("one", "s", request(3, "panic early")).await;
    let (_, answer) = cli.answer().await;
    assert!(answer.unwrap_err().contains("as told"));
    assert_eq!(cli.rpc(request(3, "echo")).await["result"], json!({"x": 1}));
}

/// The driver catches such a panic too, so no driver calls the bridge here.
#[tokio::test]
async fn a_panic_of_a_server_does_not_reach_the_caller_of_the_bridge() {
    let (server, _came) = ByHand::new();
    let bridge = McpServers::new().with("closed", Unopenable).with("open", server).bridge();
    for (server, method) in [("closed", "echo"), ("open", "panic early")] {
        let message = json!({"subtype": "mcp_message", "server_name": server, "message": request(1, method)});
        let message: InboundRequest = RawJson::encode(&message).unwrap().decode().unwrap();
        let reply = bridge.respond(message, CallContext::without_driver("r".into())).unwrap();
        let error = reply.await.unwrap_err();
        assert_eq!(error.kind, FailureKind::Panic);
        let answer = error.answer.unwrap_err();
        assert!(answer.starts_with("the MCP server panicked: ") && answer.contains("as told"), "{answer}");
    }
}

#[tokio::test]
async fn an_ended_server_waits_for_initialize() {
    let (mut cli, _came, server) = start().await;
    assert_eq!(cli.rpc(request(1, "end")).await["result"], json!({"x": 1}));
    let why = "the MCP server `s` has ended; only a new `initialize` starts it again";
    assert_eq!(cli.rpc(request(2, "echo")).await, failure(2, -32603, why));
    cli.post("note", "s", json!({"jsonrpc": "2.0", "method": "notifications/x"})).await;
    assert_eq!(cli.answer().await.1, Err(why.to_owned()));
    let hello = json!({"jsonrpc": "2.0", "id": 0, "result": initialize()["params"]});
    assert_eq!(cli.rpc(initialize()).await, hello);
    assert_eq!(cli.rpc(request(3, "echo")).await["result"], json!({"x": 1}));
    assert_eq!(server.opened.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn the_end_of_a_server_fails_what_is_open() {
    let (mut cli, _came, _) = start().await;
    for id in 0..3 {
        cli.post(&format!("r{id}"), "s", request(id, "hang")).await;
    }
    cli.post("end", "s", request(9, "end")).await;
    let mut answers = Vec::new();
    for _ in 0..4 {
        answers.push(cli.answer().await);
    }
    answers.sort_by(|one, other| one.0.cmp(&other.0));
    let (ended, failed) = answers.split_first().unwrap();
    assert_eq!(ended.1.as_ref().unwrap()["mcp_response"]["result"], json!({"x": 1}));
    for (id, (request, answer)) in failed.iter().enumerate() {
        assert_eq!(*request, format!("r{id}"));
        let expected = failure(id, -32603, "the MCP server has ended");
        assert_eq!(answer.as_ref().unwrap()["mcp_response"], expected);
    }
}

#[tokio::test]
async fn a_servers_own_messages_reach_the_cli_in_order() {
    let (mut cli, _came, _) = start().await;
    cli.post("one", "s", request(1, "speak")).await;
    let mut received = Vec::new();
    let mut answered = false;
    while !answered || received.len() < 2 {
        let line = cli.line().await;
        if line["type"] == "control_response" {
            answered = true;
            continue;
        }
        assert_eq!(line["request"]["server_name"], "s");
        received.push(line["request"]["message"]["params"].clone());
        cli.reply(&line, json!({"subtype": "success"})).await;
    }
    assert_eq!(received, ["first", "second"]);
}

#[tokio::test]
async fn each_session_has_an_instance_of_its_own() {
    let (server, _came) = ByHand::new();
    let servers = McpServers::new().with("s", server.clone());
    let (mut one, mut two) = (Cli::start(servers.bridge()).await, Cli::start(servers.bridge()).await);
    one.rpc(request(1, "echo")).await;
    two.rpc(request(1, "echo")).await;
    assert_eq!(server.opened.load(Ordering::Relaxed), 2);
}
