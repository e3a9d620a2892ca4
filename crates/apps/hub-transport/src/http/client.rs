//! The HTTP client under `rmcp`'s transport: adds tokens to requests, and reports responses that end the connection.

use std::{
    borrow::Cow,
    collections::HashMap,
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agentwire_net::error_chain;
use futures_util::{StreamExt as _, TryStreamExt as _};
use reqwest::{
    Method, StatusCode,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientNotification, ServerJsonRpcMessage, ServerResult},
    transport::{
        common::client_side_sse::BoxedSseResponse,
        streamable_http_client::{StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse},
    },
};
use tokio::time::sleep;

use crate::{
    link::{DisconnectReason, Link},
    members::kept,
    stdio::unreadable,
    web::{Refusal, Token, Web, error_text},
};

type Error = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

#[derive(Clone)]
pub(super) struct Observed {
    web: Arc<Web>,
    link: Arc<Link>,
    /// The session that had an open stream. Only for this session, status 400 or 404 means that it has expired.
    streamed: Arc<Mutex<Option<Arc<str>>>>,
}

impl Observed {
    pub(super) fn new(web: Web, link: Arc<Link>) -> Self {
        Self { web: Arc::new(web), link, streamed: Arc::default() }
    }

    /// Makes a request with the headers of a token. Ends the connection after an error that concerns all of it.
    async fn with_token<T, F>(&self, method: Method, request: impl Fn(Headers) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let (url, request) = (&self.web.url, &request);
        let attempt = |token: Option<Token>| {
            let headers = token.map(|token| token.headers(&method, url)).transpose();
            async move {
                let headers = with_names(headers?.unwrap_or_default());
                match request(headers.clone()).await {
                    // Nothing was sent. A moment without a listener need not end the connection and all its calls.
                    Err(Error::Client(error))
                        if error.is_connect() && !error.is_timeout() && self.link.ended().is_none() =>
                    {
                        sleep(OUTAGE).await;
                        Ok(request(headers).await?)
                    }
                    answer => Ok(answer?),
                }
            }
        };
        let result = self.web.with_token(attempt, refusal).await;
        self.judge(result.map_err(|failure| match failure {
            Failure::Http(error) => error,
            Failure::Token(why) => {
                if matches!(why, DisconnectReason::Unusable(_)) {
                    self.link.end(why.clone());
                }
                Error::Io(io::Error::other(why))
            }
        }))
    }

    /// Passes errors on to the link, and ends the connection after an error that concerns all of it.
    fn judge<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        let error = match result {
            Ok(value) => return Ok(value),
            Err(error) => nameless(error),
        };
        match &error {
            Error::AuthRequired(refusal) => {
                let challenge = refusal.www_authenticate_header.as_str();
                self.web.challenged(challenge);
                self.link.end(DisconnectReason::Unauthorized { challenge: Some(challenge.into()) });
            }
            Error::InsufficientScope(refusal) => {
                self.web.challenged(&refusal.www_authenticate_header);
                self.link.challenged(&refusal.www_authenticate_header);
            }
            error if is_unauthorized(error) => {
                self.link.end(DisconnectReason::Unauthorized { challenge: None });
            }
            _ => {}
        }
        match error {
            Error::Client(error) if error.is_connect() => {
                let why = error_text(error);
                self.link.end(DisconnectReason::lost(&why));
                Err(Error::Io(io::Error::new(UNSENT, why)))
            }
            // The details are in the error's causes, which `rmcp` does not show.
            Error::Client(error) => {
                let why = error_text(error);
                self.link.failed(&io::Error::other(why.clone()));
                Err(Error::UnexpectedServerResponse(why.into()))
            }
            Error::Io(error) => {
                self.link.failed(&error);
                Err(Error::Io(error))
            }
            // `rmcp` opens a new session and sends the message again.
            Error::SessionExpired | Error::ServerDoesNotSupportSse => Err(error),
            error => {
                self.link.failed(&error);
                Err(error)
            }
        }
    }

    /// Handles an error of the event stream: `rmcp` retries, or continues without it, and reports neither.
    fn judge_stream(&self, error: &reqwest::Error, session: Option<&Arc<str>>, resumed: bool) {
        let had_one = self.had_stream(session);
        match error.status() {
            // Some servers answer a session that they have forgotten with status 400.
            Some(StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND) if had_one => {
                self.link.end(DisconnectReason::lost("the server has forgotten the session"));
            }
            // The first stream of a session failed: `rmcp` does not retry it.
            None if !had_one && !resumed && !error.is_connect() => {
                self.link.end(DisconnectReason::lost(error_chain(error)));
            }
            _ => {}
        }
    }

    /// Notes an open stream. A stream that is opened again without the id of an event does not repeat what the server has
    /// sent meanwhile.
    fn stream_opened(&self, session: Option<&Arc<str>>, is_resumed: bool) {
        if !is_resumed && self.had_stream(session) {
            self.link.note_missed();
        }
        *self.streamed.lock().unwrap_or_else(PoisonError::into_inner) = session.map(Arc::clone);
    }

    fn had_stream(&self, session: Option<&Arc<str>>) -> bool {
        session.is_some() && self.streamed.lock().unwrap_or_else(PoisonError::into_inner).as_ref() == session
    }
}

/// The error of a request or of its token.
enum Failure {
    Http(Error),
    Token(DisconnectReason),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Http(error)
    }
}

impl From<DisconnectReason> for Failure {
    fn from(why: DisconnectReason) -> Self {
        Self::Token(why)
    }
}

impl StreamableHttpClient for Observed {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Error> {
        self.post_message_with_max_sse_event_size(uri, message, session, token, headers, EVENT).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let post = |proved| {
            let (uri, message) = (Arc::clone(&uri), message.clone());
            let (session, headers) = (session.clone(), together(&headers, proved));
            let client = &self.web.client;
            client.post_message_with_max_sse_event_size(uri, message, session, None, headers, limit)
        };
        let answer = self.with_token(Method::POST, post).await;
        if answer.is_ok() && ends_handshake(&message) {
            self.link.shook_hands();
        }
        answer.map(|answer| match answer {
            StreamableHttpPostResponse::Sse(events, session) => {
                StreamableHttpPostResponse::Sse(kept_events(events), session)
            }
            StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(mut error), session) => {
                if let ClientJsonRpcMessage::Request(request) = &message {
                    // Errors of the HTTP layer do not know the request, and rmcp drops an error without a known id.
                    error.id = Some(request.id.clone());
                }
                StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), session)
            }
            StreamableHttpPostResponse::Json(message, session) => {
                StreamableHttpPostResponse::Json(kept_message(message), session)
            }
            other => other,
        })
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), Error> {
        // The connection is ending: errors do not matter, and a refused token is not replaced.
        let token = self.web.token().await.unwrap_or_default();
        let proved = token.and_then(|token| token.headers(&Method::DELETE, &self.web.url).ok());
        let headers = together(&headers, with_names(proved.unwrap_or_default()));
        self.web.client.delete_session(uri, session, None, headers).await.map_err(nameless)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<BoxedSseResponse, Error> {
        self.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, EVENT).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Result<BoxedSseResponse, Error> {
        let get = |proved| {
            let (uri, last_event) = (Arc::clone(&uri), last_event.clone());
            let (session, headers) = (session.clone(), together(&headers, proved));
            let client = &self.web.client;
            client.get_stream_with_max_sse_event_size(uri, session, last_event, None, headers, limit)
        };
        let answer = self
            .with_token(Method::GET, |proved| async {
                let answer = get(proved).await.map_err(nameless);
                if let Err(Error::Client(error)) = &answer {
                    self.judge_stream(error, session.as_ref(), last_event.is_some());
                }
                answer
            })
            .await;
        if answer.is_ok() {
            self.stream_opened(session.as_ref(), last_event.is_some());
        }
        answer.map(kept_events)
    }
}

/// Repairs a list. `rmcp` has dropped the members that it does not know, and has read a list with an item that does not fit
/// MCP as a result of an unknown kind.
fn kept_message(message: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
    let ServerJsonRpcMessage::Response(response) = &message else { return message };
    if !matches!(
        response.result,
        ServerResult::CustomResult(_)
            | ServerResult::ListToolsResult(_)
            | ServerResult::ListResourcesResult(_)
            | ServerResult::ListResourceTemplatesResult(_)
    ) {
        return message;
    }
    let text = serde_json::to_vec(&message).unwrap_or_default();
    match kept(&text) {
        Cow::Owned(text) => serde_json::from_slice(&text).unwrap_or(message),
        Cow::Borrowed(_) => message,
    }
}

/// Keeps the members of tools in events that `rmcp` does not know, and replaces answers that it would drop by errors.
fn kept_events(events: BoxedSseResponse) -> BoxedSseResponse {
    let keep = |data: String| {
        let data = match kept(data.as_bytes()) {
            Cow::Owned(text) => String::from_utf8(text).unwrap_or(data),
            Cow::Borrowed(_) => data,
        };
        let Err(error) = serde_json::from_str::<ServerJsonRpcMessage>(&data) else { return data };
        let failed = unreadable(data.as_bytes(), &error);
        failed.and_then(|failed| serde_json::to_string(&failed).ok()).unwrap_or(data)
    };
    let events = events.map_ok(move |mut event| {
        event.data = event.data.map(keep);
        event
    });
    events.boxed()
}

/// Returns the refusal if the server responded with status 401.
fn refusal<T>(result: &Result<T, Failure>) -> Option<Refusal> {
    let Err(Failure::Http(error)) = result else { return None };
    let challenge = match error {
        Error::AuthRequired(refusal) => Some(refusal.www_authenticate_header.clone()),
        error if is_unauthorized(error) => None,
        _ => return None,
    };
    Some(Refusal { challenge })
}

/// Returns whether the server responded with status 401 and no challenge.
fn is_unauthorized(error: &Error) -> bool {
    match error {
        Error::Client(error) => error.status() == Some(StatusCode::UNAUTHORIZED),
        // rmcp's error for a status without an error of its own.
        Error::UnexpectedServerResponse(text) => text.starts_with("HTTP 401 "),
        _ => false,
    }
}

/// Converts headers to `rmcp`'s type.
fn with_names(headers: HeaderMap) -> Headers {
    headers.into_iter().filter_map(|(name, value)| Some((name?, value))).collect()
}

fn together(headers: &Headers, more: Headers) -> Headers {
    headers.clone().into_iter().chain(more).collect()
}

/// Removes the URL from an error: its query may contain a secret.
fn nameless(error: Error) -> Error {
    match error {
        Error::Client(error) => Error::Client(error.without_url()),
        error => error,
    }
}

fn ends_handshake(message: &ClientJsonRpcMessage) -> bool {
    matches!(
        message,
        ClientJsonRpcMessage::Notification(sent)
            if matches!(sent.notification, ClientNotification::InitializedNotification(_))
    )
}

/// The maximum size of an event: the default of `rmcp`.
const EVENT: usize = 16 * 1024 * 1024;
/// The pause before a request is sent again to a server that has refused the connection.
const OUTAGE: Duration = Duration::from_secs(1);
/// The kind of the error of a message that was not sent.
pub(super) const UNSENT: io::ErrorKind = io::ErrorKind::NotConnected;
