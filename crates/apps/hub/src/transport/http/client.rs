//! The client under `rmcp`'s transport: gives each request its token, and tells the link what the answers mean.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use futures_util::{StreamExt as _, TryStreamExt as _};
use reqwest::{
    Method, StatusCode,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientNotification},
    transport::{
        common::client_side_sse::BoxedSseResponse,
        streamable_http_client::{StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse},
    },
};
use tokio::sync::Notify;

use crate::transport::{
    link::{Ended, Link, chain},
    members::kept,
    web::{RENEWALS, Token, Web, told, wants_nonce},
};

type Error = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// Tells that the server was given a new session, behind the back of whoever uses the connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Renewals(Arc<RenewalState>);

#[derive(Debug, Default)]
struct RenewalState {
    initialized: AtomicBool,
    renewed: Notify,
}

impl Renewals {
    pub(super) async fn next(&self) {
        self.0.renewed.notified().await;
    }

    /// A handshake is complete; every one but the first is that of a new session.
    fn handshake(&self) {
        if self.0.initialized.swap(true, Ordering::Relaxed) {
            self.0.renewed.notify_one();
        }
    }
}

#[derive(Clone)]
pub(super) struct Observed {
    web: Arc<Web>,
    link: Arc<Link>,
    renewals: Renewals,
    /// The session whose stream the server has opened once: only of that one a 404 says that it is forgotten.
    streamed: Arc<Mutex<Option<Arc<str>>>>,
}

impl Observed {
    pub(super) fn new(web: Web, link: Arc<Link>, renewals: Renewals) -> Self {
        Self { web: Arc::new(web), link, renewals, streamed: Arc::default() }
    }

    /// Makes a request with the token that there is, and again with another one where that is refused. `request` gets the
    /// headers of the token.
    async fn with_token<T, F>(&self, method: Method, request: impl Fn(Headers) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let sent = self.sent(&method, &request).await;
        self.told(sent)
    }

    async fn sent<T, F>(&self, method: &Method, request: &impl Fn(Headers) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let mut token = self.token(self.web.token().await)?;
        for _ in 0..RENEWALS {
            let refused = match self.with_nonce(method, request, token.as_ref()).await {
                Err(error) if is_unauthorized(&error) => error,
                other => return other,
            };
            if let Error::AuthRequired(refusal) = &refused {
                self.web.challenged(&refusal.www_authenticate_header);
            }
            token = self.token(self.web.token_after(token.as_ref()).await)?;
            if token.is_none() {
                return Err(refused);
            }
        }
        self.with_nonce(method, request, token.as_ref()).await
    }

    /// Makes a request, and once more where the server wants its nonce in the proof.
    async fn with_nonce<T, F>(
        &self,
        method: &Method,
        request: &impl Fn(Headers) -> F,
        token: Option<&Token>,
    ) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let Some(token) = token else { return request(Headers::new()).await };
        let url = &self.web.url;
        let headers = || self.token(token.headers(method, url).map(with_names));
        let Some(proof) = &token.proof else { return request(headers()?).await };
        let nonce = proof.nonce(url);
        let refusal = match request(headers()?).await {
            Err(Error::AuthRequired(refusal)) if wants_nonce(&refusal.www_authenticate_header) => refusal,
            other => return other,
        };
        // Another request may have brought it meanwhile.
        if proof.nonce(url) == nonce {
            self.token(self.web.fetch_nonce(token, &**proof).await)?;
        }
        if proof.nonce(url) == nonce {
            return Err(Error::AuthRequired(refusal));
        }
        request(headers()?).await
    }

    /// Ends the connection where there is no token because of what was configured.
    fn token<T>(&self, token: Result<T, Ended>) -> Result<T, Error> {
        token.map_err(|why| {
            let text = why.to_string();
            if matches!(why, Ended::Unusable(_)) {
                self.link.end(why);
            }
            Error::UnexpectedServerResponse(text.into())
        })
    }

    /// Tells the link what an error means for the whole connection.
    fn told<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        let error = match result {
            Ok(value) => return Ok(value),
            Err(error) => nameless(error),
        };
        match &error {
            Error::AuthRequired(refusal) => {
                let challenge = refusal.www_authenticate_header.as_str();
                self.web.challenged(challenge);
                self.link.end(Ended::Unauthorized { challenge: Some(challenge.into()) });
            }
            Error::InsufficientScope(refusal) => {
                self.web.challenged(&refusal.www_authenticate_header);
                self.link.challenged(&refusal.www_authenticate_header);
            }
            error if is_unauthorized(error) => self.link.end(Ended::Unauthorized { challenge: None }),
            _ => {}
        }
        match error {
            Error::Client(error) if error.is_connect() => {
                let why = told(error);
                self.link.end(Ended::lost(&why));
                Err(Error::UnexpectedServerResponse(why.into()))
            }
            // What the client says of an error is in its causes, which `rmcp` does not show.
            Error::Client(error) => {
                let why = told(error);
                self.link.failed(&std::io::Error::other(why.clone()));
                Err(Error::UnexpectedServerResponse(why.into()))
            }
            // `rmcp` answers this one with a new session, and sends the message again.
            Error::SessionExpired | Error::ServerDoesNotSupportSse => Err(error),
            error => {
                self.link.failed(&error);
                Err(error)
            }
        }
    }

    /// What it means that the stream cannot be had: `rmcp` tries again, or does without, and tells nobody.
    fn judge_stream(&self, error: &reqwest::Error, session: Option<&Arc<str>>, resumed: bool) {
        let had_one = self.had_stream(session);
        match error.status() {
            Some(StatusCode::NOT_FOUND) if had_one => {
                self.link.end(Ended::lost("the server has forgotten the session"));
            }
            // The first stream of a session was cut before it was there: there is not going to be another attempt.
            None if !had_one && !resumed => self.link.end(Ended::lost(chain(error))),
            _ => {}
        }
    }

    fn stream_opened(&self, session: Option<&Arc<str>>) {
        *self.streamed.lock().unwrap_or_else(PoisonError::into_inner) = session.map(Arc::clone);
    }

    fn had_stream(&self, session: Option<&Arc<str>>) -> bool {
        session.is_some() && self.streamed.lock().unwrap_or_else(PoisonError::into_inner).as_ref() == session
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
            self.renewals.handshake();
        }
        answer.map(|answer| match answer {
            StreamableHttpPostResponse::Sse(events, session) => {
                StreamableHttpPostResponse::Sse(kept_events(events), session)
            }
            // rmcp has parsed it already.
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
        // The connection is over: what the answer means for it is of no interest, and no token is refreshed for it.
        let token = self.web.token().await.unwrap_or_default();
        let proved = token.and_then(|token| token.headers(&Method::DELETE, &self.web.url).ok());
        let headers = together(&headers, with_names(proved.unwrap_or_default()));
        self.web.client.delete_session(uri, session, None, headers).await
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
            self.stream_opened(session.as_ref());
        }
        answer.map(kept_events)
    }
}

/// The events, with the members of tools that `rmcp` does not know kept.
fn kept_events(events: BoxedSseResponse) -> BoxedSseResponse {
    let keep = |data: String| match kept(data.as_bytes()) {
        Cow::Owned(text) => String::from_utf8(text).unwrap_or(data),
        Cow::Borrowed(_) => data,
    };
    let events = events.map_ok(move |mut event| {
        event.data = event.data.map(keep);
        event
    });
    events.boxed()
}

/// Whether an answer was 401, with a challenge or without.
fn is_unauthorized(error: &Error) -> bool {
    match error {
        Error::AuthRequired(_) => true,
        Error::Client(error) => error.status() == Some(StatusCode::UNAUTHORIZED),
        // How `rmcp` tells of a status for which it has no kind of error.
        Error::UnexpectedServerResponse(text) => text.starts_with("HTTP 401 "),
        _ => false,
    }
}

/// Headers as `rmcp` wants them.
fn with_names(headers: HeaderMap) -> Headers {
    headers.into_iter().filter_map(|(name, value)| Some((name?, value))).collect()
}

fn together(headers: &Headers, more: Headers) -> Headers {
    headers.clone().into_iter().chain(more).collect()
}

/// An error without the address: its query may hold a secret.
fn nameless(error: Error) -> Error {
    match error {
        Error::Client(error) => Error::Client(error.without_url()),
        error => error,
    }
}

fn ends_handshake(message: &ClientJsonRpcMessage) -> bool {
    matches!(
        message,
        ClientJsonRpcMessage::Notification(told)
            if matches!(told.notification, ClientNotification::InitializedNotification(_))
    )
}

/// The bytes of one event; the default of `rmcp`.
const EVENT: usize = 16 * 1024 * 1024;
