//! Requests of a client, to an ingress that is part of the test.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

use std::sync::{Arc, Mutex};

use agentwire_restate::{Client, Ingress, IngressError, Prompt};
use agentwire_worker::{Outcome, SessionName, TurnSpec};
use axum::{
    Json, Router,
    extract::{Request, State},
    http::StatusCode,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinSet};

/// A node that answers each request with the next answer, and repeats the last one.
struct Node {
    address: String,
    requests: Requests,
    _server: JoinSet<()>,
}

/// The path and the idempotency key of each request.
type Requests = Arc<Mutex<Vec<(String, Option<String>)>>>;
type Answers = Arc<Mutex<Vec<(StatusCode, Value)>>>;

impl Node {
    async fn new(mut answers: Vec<(StatusCode, Value)>) -> Self {
        answers.reverse();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Requests::default();
        let state = (Arc::clone(&requests), Arc::new(Mutex::new(answers)));
        let mut server = JoinSet::new();
        server.spawn(async move {
            axum::serve(listener, Router::new().fallback(answer).with_state(state)).await.unwrap();
        });
        Self { address, requests, _server: server }
    }

    fn requests(&self) -> Vec<(String, Option<String>)> {
        self.requests.lock().unwrap().clone()
    }
}

async fn answer(
    State((requests, answers)): State<(Requests, Answers)>,
    request: Request,
) -> (StatusCode, Json<Value>) {
    let key = request.headers().get("idempotency-key").map(|key| key.to_str().unwrap().to_owned());
    requests.lock().unwrap().push((request.uri().path().to_owned(), key));
    let mut answers = answers.lock().unwrap();
    let (status, body) = answers.last().cloned().unwrap();
    if answers.len() > 1 {
        answers.pop();
    }
    (status, Json(body))
}

fn session() -> SessionName {
    SessionName::new("tenant", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11")
}

const PROMPT: &str = "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10";

fn done() -> Value {
    json!({"Done": {"text": "Done.", "is_error": false}})
}

/// Returns an address at which nothing listens.
async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test]
async fn prompt_is_repeated_with_its_id_until_a_node_has_the_outcome() {
    let node =
        Node::new(vec![(StatusCode::SERVICE_UNAVAILABLE, json!("starting")), (StatusCode::OK, done())]).await;
    let client = Client::new(Ingress::new([nobody().await, node.address.clone()]).unwrap());
    let outcome = client.prompt(&session(), &Prompt::new(TurnSpec::prompt(PROMPT, "Go."))).await.unwrap();
    assert_eq!(outcome, Outcome::Done { text: "Done.".to_owned(), is_error: false });
    let path = format!("/AgentSession/tenant%2F{}/prompt", session().session);
    assert_eq!(node.requests(), vec![(path, Some(PROMPT.to_owned())); 2]);
}

#[tokio::test]
async fn refused_prompt_is_not_repeated() {
    let node = Node::new(vec![(StatusCode::BAD_REQUEST, json!("no prompt"))]).await;
    let client = Client::new(Ingress::new([node.address.clone()]).unwrap());
    let refused = client.prompt(&session(), &Prompt::new(TurnSpec::prompt(PROMPT, "Go."))).await;
    assert!(matches!(refused, Err(IngressError::Refused { status: 400, .. })), "{refused:?}");
    assert_eq!(node.requests().len(), 1);
}

#[tokio::test]
async fn request_without_any_node_names_the_cause() {
    let client = Client::new(Ingress::new([nobody().await]).unwrap());
    let unreachable = client.interrupt(&session()).await.unwrap_err();
    assert!(matches!(unreachable, IngressError::Unreachable { .. }), "{unreachable:?}");
    assert!(unreachable.to_string().starts_with("no node of Restate has answered"), "{unreachable}");
}
