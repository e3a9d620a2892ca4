//! What the test's server does with a request.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::stream;
use serde_json::Value;
use tokio::sync::mpsc;

use super::{answers::answer, lock};

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    /// Its JSON; `null` if it has none.
    pub(crate) body: Value,
    pub(crate) text: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the method of the message in the request.
    pub(crate) fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub(crate) fn is(&self, method: &str, path: &str) -> bool {
        self.method.as_str() == method && self.path == path
    }
}

/// Returns an answer without a body.
pub(crate) fn status(code: u16) -> Response {
    StatusCode::from_u16(code).unwrap().into_response()
}

pub(super) async fn handle(State(state): State<Arc<super::State>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let raw = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    let seen = Seen {
        method: parts.method,
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers,
        body: serde_json::from_slice(&raw).unwrap_or_default(),
        text: String::from_utf8_lossy(&raw).into_owned(),
    };
    let fault = lock(&state.fault).as_mut().and_then(|fault| fault(&seen));
    let answer = fault.unwrap_or_else(|| usual(&state, &seen));
    // Recorded last: a test that waits for this request writes to the stream after that.
    state.seen.send_modify(|all| all.push(seen));
    answer
}

fn usual(state: &super::State, seen: &Seen) -> Response {
    let session = seen.header("mcp-session-id");
    match (seen.method.as_str(), seen.path.as_str()) {
        ("POST", "/mcp") => streamable(state, seen),
        ("GET", "/mcp") => match session.filter(|id| lock(&state.streams).contains_key(*id)) {
            Some(id) => open(state, id, None),
            None => status(404),
        },
        ("DELETE", "/mcp") => {
            let known = session.and_then(|id| lock(&state.streams).remove(id)).is_some();
            status(if known { 200 } else { 404 })
        }
        ("GET", "/sse") => {
            let id = new_session();
            let first = format!(": hello\n\nevent: endpoint\ndata: /message?session={id}\n\n");
            open(state, &id, Some(first))
        }
        ("POST", "/message") => older(state, seen),
        _ => status(404),
    }
}

fn streamable(state: &super::State, seen: &Seen) -> Response {
    let mut headers = HeaderMap::new();
    if seen.rpc() == "initialize" {
        let id = new_session();
        headers.insert("mcp-session-id", id.parse().unwrap());
        lock(&state.streams).insert(id, None);
    } else if !seen.header("mcp-session-id").is_some_and(|id| lock(&state.streams).contains_key(id)) {
        return status(404);
    }
    let Some(answer) = answer(&seen.body, state) else { return status(202) };
    (headers, [(header::CONTENT_TYPE, "application/json")], answer.to_string()).into_response()
}

fn older(state: &super::State, seen: &Seen) -> Response {
    let id = seen.query.strip_prefix("session=").unwrap_or_default();
    let stream = lock(&state.streams).get(id).cloned().flatten();
    let Some(stream) = stream else { return status(404) };
    if let Some(answer) = answer(&seen.body, state) {
        let _ = stream.send(Ok(Bytes::from(format!("event: message\r\ndata: {answer}\r\n\r\n"))));
    }
    status(202)
}

fn open(state: &super::State, id: &str, first: Option<String>) -> Response {
    let (sender, receiver) = mpsc::unbounded_channel::<io::Result<Bytes>>();
    if let Some(first) = first {
        let _ = sender.send(Ok(Bytes::from(first)));
    }
    lock(&state.streams).insert(id.to_owned(), Some(sender));
    let items = stream::unfold(receiver, |mut receiver| async { Some((receiver.recv().await?, receiver)) });
    let kind = [(header::CONTENT_TYPE, "text/event-stream; charset=utf-8")];
    (kind, Body::from_stream(items)).into_response()
}

/// Returns a session id that no other server of a test has.
fn new_session() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("s{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
