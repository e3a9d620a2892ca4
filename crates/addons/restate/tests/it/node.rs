//! An HTTP server that stands for a node of Restate, and for a worker.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Json, Router,
    body::{Bytes, to_bytes},
    extract::{Request, State},
    http::StatusCode,
};
use serde_json::Value;
use tokio::{net::TcpListener, sync::watch, task::JoinSet, time::timeout};

/// A server that answers each request by a function.
pub(crate) struct Node {
    pub(crate) address: String,
    requests: watch::Receiver<Vec<Asked>>,
    _server: JoinSet<()>,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) path: String,
    /// The idempotency key.
    pub(crate) key: Option<String>,
    pub(crate) body: Value,
}

pub(crate) type Answer = (StatusCode, Value);
type Answers = Arc<Mutex<dyn FnMut(&Asked) -> Answer + Send>>;

impl Node {
    pub(crate) async fn new(answer: impl FnMut(&Asked) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (sender, requests) = watch::channel(Vec::new());
        let answers: Answers = Arc::new(Mutex::new(answer));
        let router = Router::new().fallback(serve).with_state((sender, answers));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, requests, _server: server }
    }

    /// Returns the answers one after the other, and repeats the last one.
    pub(crate) async fn in_turn(mut answers: Vec<Answer>) -> Self {
        Self::new(move |_| if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() }).await
    }

    pub(crate) fn requests(&self) -> Vec<Asked> {
        self.requests.borrow().clone()
    }

    /// Waits until the requests satisfy a condition.
    pub(crate) async fn until(&self, ready: impl FnMut(&Vec<Asked>) -> bool) {
        let mut requests = self.requests.clone();
        timeout(LIMIT, requests.wait_for(ready)).await.unwrap().unwrap();
    }
}

type Shared = (watch::Sender<Vec<Asked>>, Answers);

async fn serve(State((requests, answers)): State<Shared>, request: Request) -> (StatusCode, Json<Value>) {
    let key = request.headers().get("idempotency-key").map(|key| key.to_str().unwrap().to_owned());
    let path = request.uri().path().to_owned();
    let body: Bytes = to_bytes(request.into_body(), usize::MAX).await.unwrap();
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
    let asked = Asked { path, key, body };
    let (status, answer) = (answers.lock().unwrap())(&asked);
    requests.send_modify(|requests| requests.push(asked));
    (status, Json(answer))
}

/// An address at which nothing listens: no program gets this port by chance.
pub(crate) const NOWHERE: &str = "http://127.0.0.1:1";

/// How long a condition may take on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);
