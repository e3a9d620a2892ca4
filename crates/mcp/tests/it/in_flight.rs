//! Many requests at once, and a server that ends among them.

use std::{
    collections::HashMap,
    future::pending,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use agentwire_mcp::{McpService, Outbox, ResponseFuture, ServerInstance};
use agentwire_protocol::RawJson;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::{
    cli::{Cli, call, initialize, within},
    played::{Answer, Played, answer, hello},
};

#[tokio::test]
async fn sixty_four_calls_are_answered_in_any_order() {
    let waiting: Arc<Mutex<HashMap<i64, oneshot::Sender<()>>>> = Arc::default();
    let (entered, mut came) = mpsc::channel(64);
    let waits = Arc::clone(&waiting);
    let server = Played::new(move |message, _| {
        if message["method"] != "tools/call" {
            return Answer::Result(json!({"tools": []}));
        }
        let (release, released) = oneshot::channel();
        let id = message["id"].clone();
        waits.lock().unwrap().insert(id.as_i64().unwrap(), release);
        entered.try_send(()).unwrap();
        Answer::Later(Box::pin(async move {
            released.await.unwrap();
            Some(answer(&id, json!({"content": [], "of": id})))
        }))
    });
    let mut cli = Cli::serving(server).await;
    for id in 0..CALLS {
        cli.post(&format!("r{id}"), "s", call(id, "t", json!({}))).await;
    }
    for _ in 0..CALLS {
        within(came.recv()).await.unwrap();
    }
    // Each in its turn, in an order that is none: 37 and 64 have no common divisor.
    for step in 0..CALLS {
        let id = (step * 37 + 11) % CALLS;
        let release = waiting.lock().unwrap().remove(&id).unwrap();
        release.send(()).unwrap();
        let (request, answer) = cli.answer().await;
        assert_eq!(request, format!("r{id}"));
        assert_eq!(answer.unwrap()["mcp_response"]["result"]["of"], id);
    }
    cli.nothing_more();
}

/// A server that ends at `end`, and answers nothing that is open.
#[derive(Clone, Default)]
struct Mortal(Arc<AtomicBool>);

impl McpService for Mortal {
    fn open(&self, _: Outbox) -> Box<dyn ServerInstance> {
        self.0.store(false, Ordering::Relaxed);
        Box::new(self.clone())
    }
}

impl ServerInstance for Mortal {
    fn handle(&self, message: RawJson) -> ResponseFuture {
        let message: Value = message.decode().unwrap();
        let id = message["id"].clone();
        match message["method"].as_str() {
            Some("hang") => Box::pin(pending()),
            Some("initialize") => Box::pin(async move { Some(answer(&id, hello())) }),
            method => {
                if method == Some("end") {
                    self.0.store(true, Ordering::Relaxed);
                }
                Box::pin(async move { Some(answer(&id, json!({}))) })
            }
        }
    }

    fn has_ended(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn the_end_of_a_server_fails_what_is_open_and_only_initialize_starts_it_again() {
    let mut cli = Cli::serving(Mortal::default()).await;
    let request = |id: i64, method: &str| json!({"jsonrpc": "2.0", "id": id, "method": method});
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
    assert_eq!(ended.1.as_ref().unwrap()["mcp_response"]["result"], json!({}));
    for (id, (request, answer)) in failed.iter().enumerate() {
        assert_eq!(*request, format!("r{id}"));
        let expected = json!({"jsonrpc": "2.0", "id": id, "error": {
            "code": -32603, "message": "the MCP server has ended"
        }});
        assert_eq!(answer.as_ref().unwrap()["mcp_response"], expected);
    }
    assert_eq!(cli.rpc(request(4, "x")).await["error"]["code"], -32603);
    assert_eq!(cli.rpc(initialize()).await["result"], hello());
    assert_eq!(cli.rpc(request(5, "x")).await["result"], json!({}));
}

const CALLS: i64 = 64;
