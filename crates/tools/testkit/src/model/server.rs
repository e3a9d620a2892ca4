//! The HTTP side of the scripted model: its thread, its routes, and how a picked reply becomes a response.

use std::{
    future::IntoFuture,
    io,
    net::{Ipv4Addr, SocketAddr},
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
    serve::ListenerExt,
};
use bytes::Bytes;
use futures_util::future;
use tokio::{net::TcpListener, runtime, sync::oneshot};

use super::{
    gates::Gates,
    message::{self, Message},
    progress::{Picked, Progress},
    request::{Answer, MessagesRequest, RequestFact},
    script::{Reply, Script},
    sse,
};

/// The state that the server's thread and the owner share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) script: Script,
    pub(super) gates: Gates,
    progress: Mutex<Progress>,
}

impl Shared {
    pub(super) fn new(script: Script) -> Self {
        let gates = Gates::new(script.gates());
        let progress = Mutex::new(Progress::new(&script));
        Self { script, gates, progress }
    }

    /// A panic elsewhere leaves the counters consistent, so a poisoned lock is not an error.
    pub(super) fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the server's thread: reports the address or the error, then serves until it is stopped.
///
/// The runtime ends with the thread, and takes every connection with it.
pub(super) fn run(
    shared: Arc<Shared>,
    report: oneshot::Sender<io::Result<SocketAddr>>,
    stop: oneshot::Receiver<()>,
) {
    let runtime = match runtime::Builder::new_current_thread().enable_io().enable_time().build() {
        Ok(runtime) => runtime,
        Err(error) => return drop(report.send(Err(error))),
    };
    runtime.block_on(async {
        let bound = async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            Ok((listener.local_addr()?, listener))
        };
        let listener = match bound.await {
            // An owner that no longer waits has dropped `stop` too.
            Ok((address, listener)) => report.send(Ok(address)).is_ok().then_some(listener),
            Err(error) => return drop(report.send(Err(error))),
        };
        let Some(listener) = listener else { return };
        let router = Router::new().fallback(answer).with_state(shared);
        // Without this, each small event would wait for the acknowledgement of the one before. Failing only costs time.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let serving = axum::serve(listener, router).into_future();
        future::select(pin!(serving), stop).await;
    });
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    if head.method != Method::POST {
        shared.progress().record(RequestFact::bare(head.method.as_str(), path, Answer::Other));
        let status = if head.method == Method::HEAD { StatusCode::OK } else { StatusCode::NOT_FOUND };
        return status.into_response();
    }
    // The body is read in every case, so that the connection can be used again.
    let Ok(body) = to_bytes(body, MAX_REQUEST).await else {
        return refusal(&shared, path, StatusCode::PAYLOAD_TOO_LARGE);
    };
    match path {
        "/v1/messages" => messages(shared, path, &body).await,
        "/v1/messages/count_tokens" => {
            shared.progress().record(RequestFact::bare("POST", path, Answer::TokenCount));
            (content_type("application/json"), r#"{"input_tokens":10}"#).into_response()
        }
        _ => refusal(&shared, path, StatusCode::NOT_FOUND),
    }
}

async fn messages(shared: Arc<Shared>, path: &str, body: &Bytes) -> Response {
    let Ok(request) = serde_json::from_slice::<MessagesRequest<'_>>(body) else {
        return refusal(&shared, path, StatusCode::BAD_REQUEST);
    };
    let Picked { reply, ids, .. } = shared.progress().pick(&shared.script, &request, path);
    if let Some(gate) = &reply.hold_before {
        shared.gates.pass(gate).await;
    }
    if reply.delay_ms > 0 {
        tokio::time::sleep(Duration::from_millis(reply.delay_ms)).await;
    }
    let id = ids.request();
    if let Some(status) = reply.status {
        return failure(&reply, status, &id);
    }
    let message = Message::new(&reply, &ids, request.model.as_deref().unwrap_or("unnamed"));
    if request.stream {
        let body = Body::from_stream(sse::play(sse::steps(&message, &reply), Arc::clone(&shared)));
        return (with_id(content_type("text/event-stream"), &id), body).into_response();
    }
    match message.to_json() {
        Ok(_) if reply.error_event => failure(&reply, OVERLOADED, &id),
        Ok(json) => {
            let body = Body::from_stream(sse::play(sse::whole(json, &reply), Arc::clone(&shared)));
            (with_id(content_type("application/json"), &id), body).into_response()
        }
        // The input of a tool call was read as JSON, so it is written as such.
        Err(_) => failure(&reply, 500, &id),
    }
}

fn failure(reply: &Reply, status: u16, id: &str) -> Response {
    let mut headers = with_id(content_type("application/json"), id);
    if let Some(seconds) = reply.retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = message::failure(status.as_u16(), reply.error_message.as_deref(), id);
    (status, headers, body).into_response()
}

/// Returns a failure that is not part of the script.
fn refusal(shared: &Shared, path: &str, status: StatusCode) -> Response {
    shared.progress().record(RequestFact::bare("POST", path, Answer::Other));
    let body =
        message::failure(status.as_u16(), Some("not a request that the scripted model knows"), "req_none");
    (status, content_type("application/json"), body).into_response()
}

fn content_type(value: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(value))])
}

fn with_id(mut headers: HeaderMap, id: &str) -> HeaderMap {
    // Ids are made of letters and digits, so they are always valid in a header.
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(HeaderName::from_static("request-id"), value);
    }
    headers
}

/// The longest request that is read, in bytes.
const MAX_REQUEST: usize = 256 << 20;
const OVERLOADED: u16 = 529;
