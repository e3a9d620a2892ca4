//! The older transport over HTTP (version 2024-11-05 of MCP): answers come as events of one stream, messages go as
//! requests to an address that the stream names first.
//!
//! A stream that ends is a session that ends: nothing is resumed, a new connection is a new session.

mod error;
mod events;
mod post;

use std::{pin::Pin, sync::Arc};

use bytes::Bytes;
use futures_core::Stream;
use futures_util::StreamExt as _;
use reqwest::{Method, Response, StatusCode, Url, header};
use rmcp::{
    RoleClient,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};

pub(crate) use self::error::SendError;
use self::{
    events::{Event, Events},
    post::Poster,
};
use super::{
    link::{Ended, Link},
    members::kept,
    web::{Token, Web, challenge, told},
};

/// Opens the stream, and waits until it has named the address for messages.
///
/// The time that this may take is the caller's to limit; dropping the future closes the connection.
pub(crate) async fn connect(web: Web) -> Result<(SseTransport, Arc<Link>), Ended> {
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
    let post = Poster::new(web, endpoint, Arc::clone(&link));
    Ok((SseTransport { stream: Some(stream), post, link: Arc::clone(&link) }, link))
}

/// A connection whose stream is open.
pub(crate) struct SseTransport {
    /// `None` once it has ended.
    stream: Option<EventStream>,
    post: Poster,
    link: Arc<Link>,
}

impl Transport<RoleClient> for SseTransport {
    type Error = SendError;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.post.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut ended = self.link.watch();
        loop {
            let next = tokio::select! {
                biased;
                event = self.stream.as_mut()?.next() => event,
                _ = ended.wait_for(Option::is_some) => return None,
            };
            match next {
                Ok(event) => {
                    if let Some(message) = self.take(event) {
                        return Some(message);
                    }
                }
                Err(why) => {
                    self.stream = None;
                    self.link.end(why);
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.stream = None;
        self.link.end(Ended::lost("the connection was closed"));
        Ok(())
    }
}

impl SseTransport {
    /// The message of an event, where it holds one.
    fn take(&mut self, event: Event) -> Option<RxJsonRpcMessage<RoleClient>> {
        match event.name.as_str() {
            "message" => match serde_json::from_slice(&kept(&event.data)) {
                Ok(message) => return Some(message),
                Err(error) => {
                    tracing::warn!(%error, bytes = event.data.len(), "an event that is no message of MCP");
                }
            },
            ENDPOINT => match endpoint(self.post.base(), &event.data) {
                Ok(endpoint) => self.post.redirect(endpoint),
                Err(error) => self.link.end(error),
            },
            other => tracing::debug!(name = other, "an event of a kind that MCP does not have"),
        }
        None
    }
}

/// The events of the stream. Nothing is lost when the future of one is dropped.
struct EventStream {
    bytes: Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>,
    chunk: Bytes,
    events: Events,
}

impl EventStream {
    async fn next(&mut self) -> Result<Event, Ended> {
        loop {
            let event = self.events.next(&mut self.chunk);
            if let Some(event) = event.map_err(|error| Ended::lost(error.to_string()))? {
                return Ok(event);
            }
            self.chunk = match self.bytes.next().await {
                Some(Ok(chunk)) => chunk,
                Some(Err(error)) => {
                    return Err(Ended::lost(format!("the stream of events was cut: {}", told(error))));
                }
                None => return Err(Ended::lost("the server has ended the stream of events")),
            };
        }
    }
}

/// Asks for the stream.
async fn open(web: &Web) -> Result<Response, Ended> {
    let response = web.with_token(|token| get(web, token)).await?;
    let status = response.status();
    let challenge = challenge(&response).map(Arc::from);
    if let Some(challenge) = &challenge {
        web.challenged(challenge);
    }
    if status == StatusCode::UNAUTHORIZED || (status == StatusCode::FORBIDDEN && challenge.is_some()) {
        return Err(Ended::Unauthorized { challenge });
    }
    if !status.is_success() {
        return Err(Ended::lost(format!("the server answers with HTTP {status}")));
    }
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(is_event_stream) {
        let kind = kind.unwrap_or("nothing that says what it is");
        return Err(Ended::lost(format!("the server answers with {kind}, and not with a stream of events")));
    }
    Ok(response)
}

async fn get(web: &Web, token: Option<Token>) -> Result<Response, Ended> {
    let request = web.request(Method::GET, web.url.clone(), token.as_ref())?;
    let request = request.header(header::ACCEPT, EVENT_STREAM).header(header::CACHE_CONTROL, "no-store");
    request.send().await.map_err(|error| Ended::lost(told(error)))
}

fn is_event_stream(kind: &str) -> bool {
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(EVENT_STREAM))
}

/// The address for messages: relative to that of the stream, and of the same origin. To another one the headers with
/// their secrets would go to somebody else.
fn endpoint(base: &Url, data: &[u8]) -> Result<Url, Ended> {
    let text = String::from_utf8_lossy(data);
    let url = base
        .join(text.trim())
        .map_err(|error| Ended::lost(format!("the server names no address for messages: {error}")))?;
    if url.origin() == base.origin() {
        return Ok(url);
    }
    let origin = url.origin().ascii_serialization();
    Err(Ended::unusable(format!("the server wants its messages sent to another origin, {origin}")))
}

/// The bytes of one event, as with streamable HTTP.
const EVENT: usize = 16 * 1024 * 1024;
const EVENT_STREAM: &str = "text/event-stream";
const ENDPOINT: &str = "endpoint";

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::{Ended, endpoint, is_event_stream};

    #[test]
    fn an_endpoint_is_relative_to_the_stream_and_stays_with_its_origin() {
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
            assert!(matches!(endpoint(&base, data.as_bytes()), Err(Ended::Unusable(_))), "{data}");
        }
        assert!(matches!(endpoint(&base, b"https://[::1/"), Err(Ended::Lost(_))));
    }

    #[test]
    fn a_stream_of_events_is_known_by_its_type() {
        assert!(is_event_stream("text/event-stream") && is_event_stream("Text/Event-Stream; charset=utf-8"));
        assert!(!is_event_stream("text/event-streams") && !is_event_stream("application/json"));
    }
}
