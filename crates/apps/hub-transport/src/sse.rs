//! The older HTTP transport (version 2024-11-05 of MCP): the server sends messages as events of one stream. The first event
//! contains the address for the client's messages.
//!
//! The session ends with its stream and can't be resumed.

mod events;

use std::{pin::Pin, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_core::Stream;
use futures_util::StreamExt as _;
use reqwest::{Method, Response, StatusCode, Url, header};
use rmcp::{
    RoleClient,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::time::timeout;

use self::events::{Event, Events};
use crate::{
    link::{DisconnectReason, Link, Unread},
    members::kept,
    stdio::unreadable,
    web::{Refusal, Token, Web, challenge, error_text},
};

/// Opens the stream and waits for the address for messages.
///
/// The caller limits the time. Dropping the future closes the connection.
///
/// # Errors
///
/// If the server does not open a stream of events.
pub async fn connect(web: Web) -> Result<(SseTransport, Arc<Link>), DisconnectReason> {
    let web = Arc::new(web);
    let response = open(&web).await?;
    let link = Link::new();
    let mut stream = EventStream {
        bytes: Box::pin(response.bytes_stream()),
        chunk: Bytes::new(),
        events: Events::new(EVENT),
    };
    let endpoint = loop {
        let event = stream.next().await?;
        if event.name == ENDPOINT {
            break endpoint(&web.url, &event.data)?;
        }
    };
    let post = Poster { web, endpoint, link: Arc::clone(&link) };
    Ok((SseTransport { stream: Some(stream), post }, link))
}

/// An open connection.
pub struct SseTransport {
    /// `None` after its end.
    stream: Option<EventStream>,
    post: Poster,
}

impl Transport<RoleClient> for SseTransport {
    type Error = Unread<SendError>;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let post = self.post.clone();
        self.post.link.sending(async move { post.deliver(item).await.map_err(SendError) })
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let next = tokio::select! {
                biased;
                event = self.stream.as_mut()?.next() => event,
                () = self.post.link.over() => return None,
            };
            match next {
                Ok(event) => {
                    if let Some(message) = self.take(event) {
                        return Some(message);
                    }
                }
                Err(why) => {
                    self.stream = None;
                    self.post.link.end(why);
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.stream = None;
        self.post.link.end(DisconnectReason::lost("the connection was closed"));
        Ok(())
    }
}

impl SseTransport {
    /// Handles an event. Returns its message, if it contains one.
    fn take(&mut self, event: Event) -> Option<RxJsonRpcMessage<RoleClient>> {
        match event.name.as_str() {
            "message" => match serde_json::from_slice(&kept(&event.data)) {
                Ok(message) => return Some(message),
                Err(error) => {
                    let failed = unreadable(&event.data, &error);
                    if failed.is_none() {
                        let bytes = event.data.len();
                        tracing::warn!(%error, bytes, "an event that is not an MCP message");
                    }
                    return failed;
                }
            },
            ENDPOINT => match endpoint(&self.post.web.url, &event.data) {
                Ok(endpoint) => self.post.endpoint = endpoint,
                Err(error) => self.post.link.end(error),
            },
            other => tracing::debug!(name = other, "an event of a kind that MCP does not have"),
        }
        None
    }
}

/// The events of the stream. `next` is cancel-safe.
struct EventStream {
    bytes: Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>,
    chunk: Bytes,
    events: Events,
}

impl EventStream {
    async fn next(&mut self) -> Result<Event, DisconnectReason> {
        loop {
            let event = self.events.next(&mut self.chunk);
            if let Some(event) = event.map_err(|error| DisconnectReason::lost(error.to_string()))? {
                return Ok(event);
            }
            self.chunk = match self.bytes.next().await {
                Some(Ok(chunk)) => chunk,
                Some(Err(error)) => {
                    return Err(DisconnectReason::lost(format!(
                        "the stream of events was cut: {}",
                        error_text(error)
                    )));
                }
                None => return Err(DisconnectReason::lost("the server has ended the stream of events")),
            };
        }
    }
}

/// Requests the stream.
async fn open(web: &Web) -> Result<Response, DisconnectReason> {
    let response = web.with_token(|token| get(web, token), Refusal::of).await?;
    let status = response.status();
    let challenge = challenge(&response).map(Arc::from);
    if let Some(challenge) = &challenge {
        web.challenged(challenge);
    }
    if status == StatusCode::UNAUTHORIZED || (status == StatusCode::FORBIDDEN && challenge.is_some()) {
        return Err(DisconnectReason::Unauthorized { challenge });
    }
    if !status.is_success() {
        return Err(DisconnectReason::lost(format!("{STATUS}{status}")));
    }
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(is_event_stream) {
        let kind = kind.unwrap_or("no content type");
        return Err(DisconnectReason::lost(format!(
            "the server answers with {kind}, and not with a stream of events"
        )));
    }
    Ok(response)
}

async fn get(web: &Web, token: Option<Token>) -> Result<Response, DisconnectReason> {
    let request = web.request(Method::GET, web.url.clone(), token.as_ref())?;
    let request = request.header(header::ACCEPT, EVENT_STREAM).header(header::CACHE_CONTROL, "no-store");
    web.send(request, token.as_ref()).await.map_err(|error| DisconnectReason::lost(error_text(error)))
}

fn is_event_stream(kind: &str) -> bool {
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(EVENT_STREAM))
}

/// Returns the address for messages. It is relative to the stream's URL and must have the same origin, because requests
/// contain secret headers.
fn endpoint(base: &Url, data: &[u8]) -> Result<Url, DisconnectReason> {
    let text = String::from_utf8_lossy(data);
    let url = base.join(text.trim()).map_err(|error| {
        DisconnectReason::lost(format!("the server names no address for messages: {error}"))
    })?;
    if url.origin() == base.origin() {
        return Ok(url);
    }
    let origin = url.origin().ascii_serialization();
    Err(DisconnectReason::unusable(format!("the server wants its messages sent to another origin, {origin}")))
}

/// The error of a message that was not delivered. The connection may continue.
#[derive(Debug, thiserror::Error)]
#[error("the message was not delivered")]
pub struct SendError(#[source] pub(crate) Undelivered);

/// Why a message was not delivered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Undelivered {
    /// There is no token, or no other one after a refusal: the server has executed nothing.
    #[error(transparent)]
    NoToken(#[from] DisconnectReason),
    /// The server could not be reached.
    #[error(transparent)]
    NotSent(DisconnectReason),
    /// The request failed.
    #[error(transparent)]
    Failed(DisconnectReason),
}

/// Sends messages to the address that the stream has named.
#[derive(Clone)]
struct Poster {
    web: Arc<Web>,
    endpoint: Url,
    link: Arc<Link>,
}

impl Poster {
    /// Sends a message, concurrently with others: a server may respond to a request only at its end, and must still receive
    /// its cancellation.
    async fn deliver(&self, message: TxJsonRpcMessage<RoleClient>) -> Result<(), Undelivered> {
        let body = serde_json::to_vec(&message).map_err(|error| {
            Undelivered::Failed(DisconnectReason::unusable(format!("the message cannot be written: {error}")))
        })?;
        let body = Bytes::from(body);
        let response = self.web.with_token(|token| self.post(body.clone(), token), Refusal::of).await;
        if let Err(Undelivered::NoToken(why @ DisconnectReason::Unusable(_))) = &response {
            self.link.end(why.clone());
        }
        self.judge(response?).await.map_err(Undelivered::Failed)
    }

    async fn post(&self, body: Bytes, token: Option<Token>) -> Result<Response, Undelivered> {
        let request = self.web.request(Method::POST, self.endpoint.clone(), token.as_ref())?;
        let request = request.header(header::CONTENT_TYPE, "application/json").body(body);
        self.web.send(request, token.as_ref()).await.map_err(|error| {
            let is_unreachable = error.is_connect();
            let why = DisconnectReason::lost(error_text(error));
            if !is_unreachable {
                return Undelivered::Failed(why);
            }
            self.link.end(why.clone());
            Undelivered::NotSent(why)
        })
    }

    async fn judge(&self, response: Response) -> Result<(), DisconnectReason> {
        let status = response.status();
        if status.is_success() {
            // If it takes longer, the connection is not used again.
            _ = timeout(DRAIN, drain(response)).await;
            return Ok(());
        }
        let challenge = challenge(&response).map(Arc::from);
        if let Some(challenge) = &challenge {
            self.web.challenged(challenge);
        }
        let why = match status {
            StatusCode::UNAUTHORIZED => DisconnectReason::Unauthorized { challenge },
            StatusCode::NOT_FOUND | StatusCode::GONE => {
                DisconnectReason::lost(format!("the server has forgotten the session (HTTP {status})"))
            }
            _ => {
                if let Some(challenge) = challenge.filter(|_| status == StatusCode::FORBIDDEN) {
                    self.link.challenged(&challenge);
                    return Err(DisconnectReason::Unauthorized { challenge: Some(challenge) });
                }
                let why = DisconnectReason::lost(format!("{STATUS}{status}"));
                self.link.failed(&why);
                return Err(why);
            }
        };
        self.link.end(why.clone());
        Err(why)
    }
}

/// Reads a short response, so that the connection can be reused.
async fn drain(mut response: Response) {
    let mut left = DRAINED;
    while let Ok(Some(chunk)) = response.chunk().await {
        match left.checked_sub(chunk.len()) {
            Some(less) => left = less,
            None => return,
        }
    }
}

/// The maximum size of an event, as with streamable HTTP.
const EVENT: usize = 16 * 1024 * 1024;
/// How long the rest of a short response may take.
const DRAIN: Duration = Duration::from_secs(1);
const EVENT_STREAM: &str = "text/event-stream";
/// The start of an error that names the status of a response.
pub(crate) const STATUS: &str = "the server answers with HTTP ";
const ENDPOINT: &str = "endpoint";
/// The longest response to a message that is read to the end.
const DRAINED: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::{DisconnectReason, endpoint, is_event_stream};

    #[test]
    fn endpoint_is_relative_to_the_stream_and_has_its_origin() {
        let base = Url::parse("https://host:8443/a/sse?x=1").unwrap();
        for (data, expected) in [
            ("/messages?session=1", "https://host:8443/messages?session=1"),
            ("messages", "https://host:8443/a/messages"),
            ("?session=1", "https://host:8443/a/sse?session=1"),
            (" /m\n", "https://host:8443/m"),
            ("https://HOST:8443/m", "https://host:8443/m"),
        ] {
            assert_eq!(endpoint(&base, data.as_bytes()).unwrap().as_str(), expected, "{data}");
        }
        for data in ["https://other:8443/m", "http://host:8443/m", "https://host/m", "//other/m", "data:,x"] {
            assert!(matches!(endpoint(&base, data.as_bytes()), Err(DisconnectReason::Unusable(_))), "{data}");
        }
        assert!(matches!(endpoint(&base, b"https://[::1/"), Err(DisconnectReason::Lost(_))));
    }

    #[test]
    fn event_stream_is_recognised_by_its_content_type() {
        assert!(is_event_stream("text/event-stream") && is_event_stream("Text/Event-Stream; charset=utf-8"));
        assert!(!is_event_stream("text/event-streams") && !is_event_stream("application/json"));
    }
}
