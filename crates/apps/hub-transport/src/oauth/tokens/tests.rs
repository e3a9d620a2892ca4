//! Renewals and authorizations of a server that is its own authorization server.

mod keyring;

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agentwire_net::error_chain;
use axum::{
    Json, Router,
    extract::Request,
    http::{StatusCode, header::AUTHORIZATION},
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures_util::FutureExt as _;
use reqwest::Url;
use rmcp::transport::AuthorizationRequest;
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::timeout,
};

use super::{ServerTokens, State, StoredAuthorization};
use crate::{
    link::DisconnectReason,
    oauth::{AuthorizeError, Book, PendingAuthorization, TokenStore as _},
    web::AccessTokens,
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
async fn refresh_token_and_secret_are_not_sent_to_another_server() {
    fn none(_: &str, _: &str) -> Value {
        Value::Null
    }
    fn unnamed(origin: &str, path: &str) -> Value {
        match path {
            "/.well-known/oauth-protected-resource" => {
                json!({"resource": origin, "authorization_servers": [format!("{origin}/.well-known/x")]})
            }
            "/.well-known/x" => {
                let token = format!("{origin}/token");
                json!({"authorization_endpoint": format!("{origin}/authorize"), "token_endpoint": token})
            }
            _ => Value::Null,
        }
    }
    fn forged(origin: &str, path: &str) -> Value {
        match path {
            "/.well-known/x" => metadata("https://as.example", origin),
            path => unnamed(origin, path),
        }
    }
    let issued = record("https://as.example", "secret", EXPIRED);
    let without_issuer = issued.replace("\"https://as.example\"", "null");
    let cases: [(Documents, &String); 6] = [
        (none, &issued),
        (unnamed, &issued),
        (forged, &issued),
        (own, &issued),
        (unnamed, &without_issuer),
        (own, &without_issuer),
    ];
    for (documents, stored) in cases {
        let mut setup = Setup::start(documents).await;
        setup.store.put(stored.clone());
        let token = setup.token(None);
        tokio::select! {
            biased;
            asked = setup.requests.recv() => panic!("sent: {}", asked.unwrap().form),
            token = token => assert!(!matches!(token.unwrap(), Ok(Some(_)))),
        }
        assert_eq!(setup.store.kept().as_ref(), Some(stored), "the authorization server may be named again");
    }
}

#[tokio::test]
async fn forgotten_tokens_are_not_saved_by_a_renewal() {
    let mut setup = Setup::start(own).await;
    setup.store.put(setup.record("secret", EXPIRED));
    let renewal = setup.token(None);
    let asked = setup.asked().await;
    let (book, url) = (Arc::clone(&setup.book), setup.url.clone());
    let mut forget = pin!(book.forget(&url));
    assert!(forget.as_mut().now_or_never().is_none(), "it waits for the renewal");
    asked.give("renewed");
    assert_eq!(renewal.await.unwrap(), Ok(Some("renewed".to_owned())));
    forget.await.unwrap();
    assert_eq!(setup.store.kept(), None);
    assert_eq!(setup.token(None).await.unwrap(), Ok(None));
}

#[tokio::test]
async fn authorization_is_not_replaced_by_a_renewal_of_the_old_one() {
    let mut setup = Setup::start(own).await;
    setup.store.put(setup.record("secret", EXPIRED));
    let (pending, redirect) = setup.authorize().await;
    let renewal = setup.token(None);
    let refresh = setup.asked().await;
    assert!(refresh.form.contains("refresh_token=refresh"), "{}", refresh.form);
    let redirect = format!("{redirect}&code=c");
    let mut finish = pin!(pending.finish(&redirect));
    assert!(finish.as_mut().now_or_never().is_none());
    refresh.give("renewed");
    renewal.await.unwrap().unwrap();
    let code = setup.asked().await;
    assert!(code.form.contains("code=c"), "{}", code.form);
    code.give("new");
    finish.await.unwrap();
    assert_eq!(*setup.store.changes.lock().unwrap(), ["lock", "save", "save", "lock", "save"]);
    assert_eq!(setup.token(None).await.unwrap(), Ok(Some("new".to_owned())));
}

#[tokio::test]
async fn refusal_of_an_old_client_keeps_the_new_authorization() {
    let mut setup = Setup::start(own).await;
    setup.store.put(setup.record("old", EXPIRED));
    let renewal = setup.token(None);
    let asked = setup.asked().await;
    let new = setup.record("new", FRESH);
    setup.store.put(new.clone());
    asked.answer(401, json!({"error": "invalid_client"}));
    assert_eq!(renewal.await.unwrap(), Ok(Some("stored".to_owned())));
    assert_eq!(setup.store.kept(), Some(new));

    for code in ["invalid_client", "unauthorized_client"] {
        setup.store.put(setup.record("new", FRESH));
        let renewal = setup.token(Some("stored"));
        setup.asked().await.answer(401, json!({"error": code}));
        assert_eq!(renewal.await.unwrap(), Ok(None), "{code}");
        assert_eq!(setup.store.kept(), None, "{code}");
    }
}

#[tokio::test]
async fn refresh_token_is_not_used_while_the_store_saves_nothing() {
    let mut setup = Setup::start(own).await;
    setup.store.put(setup.record("secret", EXPIRED));
    setup.store.is_full.store(true, Ordering::Relaxed);
    let why = setup.fails_unsent(None).await;
    assert!(why.starts_with("the token cannot be renewed: ") && why.ends_with(": no space"), "{why}");
    setup.store.is_full.store(false, Ordering::Relaxed);
    let renewal = setup.token(None);
    let asked = setup.asked().await;
    assert!(asked.form.contains("refresh_token=refresh"), "{}", asked.form);
    asked.give("renewed");
    assert_eq!(renewal.await.unwrap(), Ok(Some("renewed".to_owned())));
}

#[tokio::test]
async fn failed_request_for_a_token_is_reported_with_its_cause() {
    fn unreachable(origin: &str, path: &str) -> Value {
        let mut metadata = own(origin, path);
        if !metadata.is_null() {
            metadata["token_endpoint"] = json!("http://127.0.0.1:9/token");
        }
        metadata
    }
    let mut setup = Setup::start(unreachable).await;
    setup.store.put(setup.record("secret", EXPIRED));
    let why = setup.fails_unsent(None).await;
    assert!(why.contains("the request failed: ") && why.contains("refused"), "{why}");
    let (pending, redirect) = setup.authorize().await;
    let error = pending.finish(&format!("{redirect}&code=c")).await.unwrap_err();
    let why = error_chain(&error);
    assert!(why.contains("the request failed: ") && why.contains("refused"), "{why}");
}

#[tokio::test]
async fn reason_of_a_refused_renewal_is_noted_without_secrets() {
    let mut setup = Setup::start(own).await;
    for (code, description, expected) in [
        ("invalid_grant", "Session expired", "invalid_grant: Session expired"),
        ("invalid_client", "Client was deleted", "invalid_client: Client was deleted"),
        ("invalid_grant", "unknown token: refresh-1", "its reason contains a secret"),
    ] {
        let stored = setup.record("secret", EXPIRED).replace(r#""refresh""#, r#""refresh-1""#);
        // A renewal of the same token would not be tried again at once.
        setup.store.put(stored.replace("stored", &format!("for {expected}")));
        let access = setup.book.access(&setup.url, &Arc::default()).unwrap();
        let record = Arc::clone(&access.record);
        let renewal = tokio::spawn(async move { access.after(None).await.map(|token| token.is_none()) });
        let answer = json!({"error": code, "error_description": description});
        setup.asked().await.answer(400, answer);
        assert_eq!(renewal.await.unwrap(), Ok(true));
        let why = &record.troubles()[0].what;
        let is_expected = why.starts_with("the authorization server renews no token: ");
        assert!(is_expected && why.ends_with(expected), "{why}");
    }
}

#[tokio::test(start_paused = true)]
async fn connection_waits_for_another_token_than_the_refused_one() {
    let url = "http://127.0.0.1:9/mcp";
    let (store, mut book) = (Arc::new(Keyring::default()), Book::default());
    book.set_store(store.clone());
    let access = book.access(url, &Arc::default()).unwrap();
    let is_replaced =
        async |access: &AccessTokens| timeout(Duration::from_secs(60), access.replaced()).await.is_ok();
    let stored = record(url, "secret", FRESH);
    store.put(stored.clone());
    assert!(!is_replaced(&access).await, "the server has refused no token");
    store.remove(url).await.unwrap();
    assert_eq!(access.after(None).await.map(|token| token.is_none()), Ok(true));
    assert!(!is_replaced(&access).await);
    store.put(record(url, "secret", EXPIRED));
    assert!(!is_replaced(&access).await, "it would have to be renewed");
    store.put(stored.clone());
    assert!(is_replaced(&access).await);

    let refused = AccessTokens { refused: Arc::new(Some("stored".to_owned()).into()), ..access };
    assert!(!is_replaced(&refused).await);
    store.put(stored.replace("stored", "other"));
    assert!(is_replaced(&refused).await);
    let sent = Arc::clone(&refused.source).current().await.unwrap();
    assert_eq!(sent.map(|token| token.text).as_deref(), Some("other"));
}

#[tokio::test]
async fn refused_renewal_needs_an_authorization_unless_the_server_has_trouble() {
    let mut setup = Setup::start(own).await;
    let stored = setup.record("secret", EXPIRED);
    for (code, answer, is_final) in [
        (400, json!({"error": "invalid_target"}), true),
        (400, json!({"detail": "expired"}), true),
        (200, json!({"error": "bad_refresh_token"}), true),
        (400, json!({"error": "temporarily_unavailable"}), false),
        (429, json!({"error": "invalid_request"}), false),
        (403, json!({}), false),
    ] {
        // A renewal of the same token would not be tried again at once.
        setup.store.put(stored.replace("stored", &format!("for {}", answer.to_string().replace('"', ""))));
        let renewal = setup.token(None);
        setup.asked().await.answer(code, answer.clone());
        let token = renewal.await.unwrap();
        match is_final {
            true => assert_eq!(token, Ok(None), "{answer}"),
            false => assert!(matches!(token, Err(DisconnectReason::Lost(_))), "{answer}: {token:?}"),
        }
    }
    assert_eq!(setup.store.kept(), Some(stored.replace("stored", "for {}")));
}

#[tokio::test]
async fn token_endpoint_that_has_moved_is_discovered_again() {
    static HAS_MOVED: AtomicBool = AtomicBool::new(false);
    fn moving(origin: &str, path: &str) -> Value {
        let mut metadata = own(origin, path);
        if !metadata.is_null() && !HAS_MOVED.load(Ordering::Relaxed) {
            metadata["token_endpoint"] = json!(format!("{origin}/old"));
        }
        metadata
    }
    let mut setup = Setup::start(moving).await;
    setup.store.put(setup.record("secret", EXPIRED));
    assert!(matches!(setup.token(None).await.unwrap(), Err(DisconnectReason::Lost(_))));
    HAS_MOVED.store(true, Ordering::Relaxed);
    let mut renewal = setup.token(None);
    tokio::select! {
        biased;
        token = &mut renewal => panic!("not requested: {token:?}"),
        asked = setup.asked() => asked.give("renewed"),
    }
    assert_eq!(renewal.await.unwrap(), Ok(Some("renewed".to_owned())));
}

#[tokio::test]
async fn renewal_uses_the_client_of_the_stored_authorization() {
    let mut setup = Setup::start(own).await;
    let mut refused = None;
    for secret in ["old", "new"] {
        setup.store.put(setup.record(secret, EXPIRED));
        let renewal = setup.token(refused);
        let asked = setup.asked().await;
        assert_eq!(asked.authorization, basic(&format!("a:{secret}")));
        asked.give(secret);
        assert_eq!(renewal.await.unwrap(), Ok(Some(secret.to_owned())));
        assert!(setup.store.kept().unwrap().contains(&format!("\"secret\":\"{secret}\"")));
        refused = Some(secret);
    }

    let newest = setup.record("newest", EXPIRED);
    *setup.store.at_lock.lock().unwrap() = Some(newest.clone());
    setup.fails_unsent(refused).await;
    assert_eq!(setup.store.kept(), Some(newest));
}

#[tokio::test]
async fn new_refresh_token_is_not_sent_to_the_old_server() {
    let mut setup = Setup::start(own).await;
    setup.store.put(setup.record("secret", EXPIRED));
    let new = record("https://as.example", "secret", EXPIRED);
    *setup.store.at_lock.lock().unwrap() = Some(new.clone());
    setup.fails_unsent(None).await;
    assert_eq!(setup.store.kept(), Some(new));
}

#[tokio::test]
async fn expired_token_is_replaced_by_the_one_of_another_process() {
    let store = Arc::new(Keyring::default());
    let url = "http://127.0.0.1:9/mcp";
    let tokens = ServerTokens::new(Url::parse(url).unwrap(), store.clone());
    let expired = StoredAuthorization::parse(&record(url, "secret", EXPIRED)).unwrap();
    *tokens.state.lock().await = State { record: Some(Some(expired)), ..State::default() };
    store.put(record(url, "secret", FRESH));
    let token = tokens.token().await.unwrap();
    assert_eq!(token.map(|token| token.text).as_deref(), Some("stored"));
}

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
