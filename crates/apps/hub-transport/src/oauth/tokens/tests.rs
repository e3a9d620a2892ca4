//! Renewals and authorizations of a server that is its own authorization server.

mod keyring;
mod renewal;
mod replaced;

use std::sync::{Arc, atomic::Ordering};

use axum::{
    Json, Router,
    extract::Request,
    http::{StatusCode, header::AUTHORIZATION},
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::Url;
use rmcp::transport::AuthorizationRequest;
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

use crate::{
    link::DisconnectReason,
    oauth::{AuthorizeError, Book, PendingAuthorization},
};
use keyring::Keyring;

/// Returns the metadata of a server by its origin and a path; `null` if there are none.
type Documents = fn(&str, &str) -> Value;

/// A server, whose requests for tokens the test answers, and the tokens for it.
struct Setup {
    origin: String,
    url: String,
    requests: mpsc::UnboundedReceiver<Asked>,
    store: Arc<Keyring>,
    book: Arc<Book>,
}

impl Setup {
    async fn start(documents: Documents) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let (sender, requests) = mpsc::unbounded_channel();
        let here = origin.clone();
        let router = Router::new().fallback(move |request: Request| {
            let document = documents(&here, request.uri().path());
            answer(request, document, sender.clone())
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        let (store, mut book) = (Arc::new(Keyring::default()), Book::default());
        book.set_store(store.clone());
        Self { url: format!("{origin}/mcp"), origin, requests, store, book: Arc::new(book) }
    }

    /// Checks that a renewal fails before the authorization server gets a request, and returns the reason.
    async fn fails_unsent(&mut self, refused: Option<&'static str>) -> String {
        let renewal = self.token(refused);
        tokio::select! {
            biased;
            asked = self.requests.recv() => panic!("sent: {}", asked.unwrap().form),
            token = renewal => match token.unwrap() {
                Err(DisconnectReason::Lost(why)) => why.to_string(),
                token => panic!("{token:?}"),
            },
        }
    }

    /// Waits for a request for a token.
    async fn asked(&mut self) -> Asked {
        self.requests.recv().await.unwrap()
    }

    /// Gets the token in a task: another one if one was refused.
    fn token(&self, refused: Option<&'static str>) -> JoinHandle<Result<Option<String>, DisconnectReason>> {
        let access = self.book.access(&self.url, &Arc::default()).unwrap().source;
        tokio::spawn(async move {
            let token = match refused {
                Some(_) => access.after(refused.map(str::to_owned)).await?,
                None => access.current().await?,
            };
            Ok::<_, DisconnectReason>(token.map(|token| token.text))
        })
    }

    /// Starts an authorization. Returns the start of its redirects too.
    async fn authorize(&self) -> (PendingAuthorization, String) {
        let request = AuthorizationRequest::new("http://127.0.0.1:9/").with_preregistered_client("b");
        let pending = self.book.authorize(&self.url, request).await.unwrap();
        let page = Url::parse(pending.url()).unwrap();
        let (_, state) = page.query_pairs().find(|(name, _)| name == "state").unwrap();
        let redirect = format!("http://127.0.0.1:9/?state={state}");
        (pending, redirect)
    }

    fn record(&self, secret: &str, since: u64) -> String {
        record(&self.origin, secret, since)
    }
}

/// A request for a token.
struct Asked {
    authorization: String,
    form: String,
    reply: oneshot::Sender<(u16, Value)>,
}

impl Asked {
    fn answer(self, code: u16, answer: Value) {
        self.reply.send((code, answer)).unwrap();
    }

    fn give(self, token: &str) {
        self.answer(200, json!({"access_token": token, "token_type": "bearer", "expires_in": 3600}));
    }
}

async fn answer(request: Request, document: Value, asked: mpsc::UnboundedSender<Asked>) -> Response {
    let (parts, body) = request.into_parts();
    if parts.uri.path() != "/token" {
        let code = if document.is_null() { StatusCode::NOT_FOUND } else { StatusCode::OK };
        return (code, Json(document)).into_response();
    }
    let form = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let form = String::from_utf8(form.to_vec()).unwrap();
    let authorization = parts.headers.get(AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned());
    let authorization = authorization.unwrap_or_default();
    let (reply, replied) = oneshot::channel();
    asked.send(Asked { authorization, form, reply }).unwrap_or_else(|_| panic!("the test is over"));
    let (code, answer) = replied.await.unwrap();
    (StatusCode::from_u16(code).unwrap(), Json(answer)).into_response()
}

/// Returns an authorization with the access token `stored`, which was issued then.
fn record(issuer: &str, secret: &str, since: u64) -> String {
    let record = json!({
        "client": {"id": "a", "secret": secret, "redirect_uri": "http://127.0.0.1/"},
        "credentials": {
            "client_id": "a",
            "token_response": {
                "access_token": "stored", "token_type": "bearer", "expires_in": 100, "refresh_token": "refresh",
            },
            "token_received_at": since,
            "issuer": issuer,
        },
    });
    record.to_string()
}

fn basic(client: &str) -> String {
    format!("Basic {}", STANDARD.encode(client))
}

/// The metadata of an authorization server at the origin.
fn own(origin: &str, path: &str) -> Value {
    match path {
        "/.well-known/oauth-authorization-server" => metadata(origin, origin),
        _ => Value::Null,
    }
}

fn metadata(issuer: &str, origin: &str) -> Value {
    json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{origin}/authorize"),
        "token_endpoint": format!("{origin}/token"),
    })
}

const EXPIRED: u64 = 1;
const FRESH: u64 = 9_999_999_999;

#[tokio::test]
async fn error_of_the_store_is_reported_as_such_with_its_causes() {
    let mut setup = Setup::start(own).await;
    let (pending, redirect) = setup.authorize().await;
    setup.store.is_broken.store(true, Ordering::Relaxed);
    let why = setup.token(None).await.unwrap().unwrap_err();
    assert_eq!(why.to_string(), "no token: the keyring is closed: no password");
    let finish = tokio::spawn(async move { pending.finish(&format!("{redirect}&code=c")).await });
    setup.asked().await.give("new");
    let error = finish.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the tokens could not be read or saved");
    let AuthorizeError::Store(why) = error else { panic!("{error:?}") };
    assert_eq!(why.to_string(), "the keyring is closed: no password");
}

#[tokio::test]
async fn error_in_the_name_of_another_issuer_is_not_shown() {
    let setup = Setup::start(own).await;
    for (issuer, is_shown) in [(&*setup.origin, true), ("https://as.example", false)] {
        let (pending, redirect) = setup.authorize().await;
        let redirect = format!("{redirect}&error=access_denied&iss={issuer}");
        let error = pending.finish(&redirect).await.unwrap_err();
        assert_eq!(matches!(error, AuthorizeError::Denied { .. }), is_shown, "{error:?}");
        assert_eq!(matches!(error, AuthorizeError::Foreign), !is_shown, "{error:?}");
    }
}
