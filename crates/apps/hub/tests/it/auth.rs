//! OAuth against an authorization server of the test's own.

mod dpop;
mod grants;
mod loopback;
mod registration;
mod server;

use std::{
    fs,
    path::{Path, PathBuf},
};

use agentwire_hub::{
    CallError, CallRequest, Hub, HubBuilder, ServerState,
    auth::{Authorization, AuthorizationRequest, AuthorizeError, Loopback, TokenFile},
    config::{Endpoint, Launch, ServerConfig, Sources, Stdio},
};
use futures_util::future::join_all;
use serde_json::json;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use self::server::{Authority, State, form};
use crate::{
    over_http::{WAYS, Way, hasty, until},
    server::LIMIT,
    web::WebServer,
};

const HTTP: (Way, &str) = WAYS[0];

/// A server that requires authorization, and a hub with its tokens in a file.
struct Guarded {
    folder: TempDir,
    server: WebServer,
    authority: Authority,
    launch: Launch,
    hub: Hub,
}

impl Guarded {
    /// Starts both, and waits until the server has refused the hub.
    async fn start(way: (Way, &str)) -> Self {
        Self::start_with(way, |_| ()).await
    }

    async fn start_with((way, path): (Way, &str), change: impl FnOnce(&mut State)) -> Self {
        let (folder, server) = (tempfile::tempdir().unwrap(), WebServer::start());
        let authority = Authority::guard(&server);
        authority.with(change);
        let launch = way(Endpoint::new(server.url(path)));
        let hub = hub(launch.clone(), &folder.path().join("tokens.json"));
        until(&hub, is_refused).await;
        Self { folder, server, authority, launch, hub }
    }

    /// Starts both, and authorizes the hub.
    async fn authorized(way: (Way, &str)) -> Self {
        let guarded = Self::start(way).await;
        authorize(&guarded.hub).await;
        guarded
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("tokens.json")
    }

    /// Returns another hub with the same file.
    fn another_hub(&self) -> Hub {
        hub(self.launch.clone(), &self.file())
    }
}

fn hub(launch: Launch, file: &Path) -> Hub {
    connecting_twice(launch).tokens(TokenFile::new(file)).build()
}

/// Returns a builder with two names for one server, which share its tokens.
fn connecting_twice(launch: Launch) -> HubBuilder {
    let config = ServerConfig::new(launch);
    hasty(Sources::new().server("web", config.clone()).server("again", config))
}

fn is_connected(state: &ServerState) -> bool {
    matches!(state, ServerState::Connected { .. })
}

fn is_refused(state: &ServerState) -> bool {
    matches!(state, ServerState::NeedsAuthentication { .. })
}

async fn echo(hub: &Hub, server: &str, text: &str) -> Result<String, String> {
    let request = CallRequest::new(server, "echo").arguments(json!({"text": text}));
    let outcome = hub.call(request).await.map_err(|error| error.to_string())?;
    Ok(outcome.content[0].as_text().unwrap().text.clone())
}

/// Requests a local page and returns its redirect.
async fn visit(url: &str) -> Option<String> {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_at(rest.find('/').unwrap());
    let mut page = TcpStream::connect(host).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    page.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    page.read_to_string(&mut answer).await.unwrap();
    answer.lines().find_map(|line| line.strip_prefix("location: ")).map(str::to_owned)
}

/// Begins to authorize; gives the address that the browser would be sent to.
async fn begin(hub: &Hub) -> (Authorization, String) {
    let request = AuthorizationRequest::new("http://127.0.0.1:9/callback");
    let authorization = hub.authorize("web", request).await.unwrap();
    let redirect = visit(authorization.url()).await.unwrap();
    (authorization, redirect)
}

async fn authorize(hub: &Hub) {
    let (authorization, redirect) = begin(hub).await;
    let state = authorization.finish(&redirect).await.unwrap();
    assert!(is_connected(&state), "{state:?}");
}

#[tokio::test]
async fn user_authorizes_once_and_the_server_stays_connected() {
    for way in WAYS {
        let guarded = Guarded::start(way).await;
        let Guarded { server, authority, hub, .. } = &guarded;

        let loopback = Loopback::bind().await.unwrap();
        let request = AuthorizationRequest::new(loopback.redirect_uri());
        let authorization = hub.authorize("web", request).await.unwrap();
        let asked = form(authorization.url().split_once('?').unwrap().1);
        assert_eq!(asked["scope"], "basic");
        assert_eq!(asked["resource"].trim_end_matches('/'), server.url(""));
        let redirect = visit(authorization.url()).await.unwrap();
        let browser = async {
            // Other requests are refused.
            for stranger in ["/favicon.ico", "/callback", "/callback?code=x&state=stolen", "/"] {
                visit(&loopback.redirect_uri().replace("/callback", stranger)).await;
            }
            visit(&redirect).await;
        };
        let (came, ()) = tokio::join!(loopback.redirect(&authorization), browser);
        assert!(is_connected(&authorization.finish(&came.unwrap()).await.unwrap()));
        assert_eq!(echo(hub, "web", "hello").await.unwrap(), "hello");

        let kept = fs::read_to_string(guarded.file()).unwrap();
        assert!(kept.contains("token-") && kept.contains("refresh-"));
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(guarded.file()).unwrap().permissions())
                & 0o777,
            0o600
        );
        let debug = format!("{hub:?} {:?} {:?}", hub.snapshot(), hub.troubles("web"));
        assert!(!debug.contains("token-") && !debug.contains("refresh-"), "{debug}");

        hub.close().await;
        let again = guarded.another_hub();
        until(&again, is_connected).await;
        assert_eq!(authority.with(|state| (state.registered.len(), state.asked.len())), (1, 1));

        assert!(is_refused(&again.forget_authorization("web").await.unwrap()));
        assert!(!fs::read_to_string(guarded.file()).unwrap().contains("token-"));
    }
}

#[tokio::test]
async fn refused_token_is_renewed_without_a_failed_call() {
    for way in WAYS {
        let Guarded { authority, hub, .. } = &Guarded::start(way).await;
        authority.with(|state| state.secret = true);
        authorize(hub).await;
        authority.with(|state| state.tokens.clear());
        assert_eq!(echo(hub, "web", "a").await.unwrap(), "a");
        assert_eq!(authority.refreshes(), 1);
        let asked = authority.with(|state| state.asked.clone());
        assert!(
            asked.iter().all(|asked| asked.authorization.as_ref().is_some_and(|is| is.starts_with("Basic "))),
            "{asked:?}"
        );
        // Without a scope in the request, the granted scope stays.
        assert!(asked[1].form.get("scope").is_none_or(|scope| scope == "basic"), "{asked:?}");
    }
}

#[tokio::test]
async fn connections_that_renew_at_once_use_no_refresh_token_twice() {
    let guarded = Guarded::authorized(HTTP).await;
    let Guarded { authority, hub: one, .. } = &guarded;
    assert!(is_connected(&one.restart("again").await.unwrap()));
    // Another program, with the same file.
    let other = guarded.another_hub();
    assert!(other.wait_until_ready(LIMIT).await);
    for round in 0..5 {
        authority.with(|state| state.tokens.clear());
        let calls = (0..24).map(|n| {
            let hub = if n % 2 == 0 { one } else { &other };
            let server = if n % 3 == 0 { "web" } else { "again" };
            async move { echo(hub, server, &n.to_string()).await }
        });
        for (n, answer) in join_all(calls).await.into_iter().enumerate() {
            let troubles = || format!("{:?} {:?}", one.troubles("web"), other.troubles("web"));
            assert_eq!(answer.as_deref(), Ok(&*n.to_string()), "round {round} {}", troubles());
        }
    }
    assert_eq!(authority.with(|state| state.reused), 0);
    assert!((5..=10).contains(&authority.refreshes()), "{}", authority.refreshes());
}

#[tokio::test]
async fn authorization_by_another_process_connects_a_waiting_server() {
    for way in WAYS {
        let guarded = Guarded::start(way).await;
        let Guarded { authority, hub, .. } = &guarded;
        let other = guarded.another_hub();
        until(&other, is_refused).await;
        authorize(hub).await;
        until(&other, is_connected).await;
        assert_eq!(authority.with(|state| state.registered.len()), 1);
        assert_eq!(echo(&other, "web", "a").await.unwrap(), "a");
    }
}

#[tokio::test]
async fn token_of_another_process_may_have_expired() {
    for way in WAYS {
        let guarded = Guarded::authorized(way).await;
        let Guarded { authority, hub: one, .. } = &guarded;
        let other = guarded.another_hub();
        assert!(other.wait_until_ready(LIMIT).await);
        authority.with(|state| state.tokens.clear());
        assert_eq!(echo(&other, "web", "a").await.unwrap(), "a");
        authority.with(|state| state.tokens.clear());
        assert_eq!(echo(one, "web", "b").await.unwrap(), "b");
        assert_eq!(authority.with(|state| state.reused), 0);
        assert!(authority.refreshes() >= 2, "each of them has renewed");
    }
}

#[tokio::test]
async fn token_that_expires_soon_is_renewed_before_it_is_sent() {
    let guarded = Guarded::authorized(HTTP).await;
    let Guarded { server, authority, hub, .. } = &guarded;
    hub.close().await;
    let kept: serde_json::Value = serde_json::from_str(&fs::read_to_string(guarded.file()).unwrap()).unwrap();
    let since = &kept.as_object().unwrap().values().next().unwrap()["credentials"]["token_received_at"];
    let long_ago = kept.to_string().replace(&since.to_string(), "1000000");
    fs::write(guarded.file(), long_ago).unwrap();

    let before = server.seen().len();
    let again = guarded.another_hub();
    until(&again, is_connected).await;
    assert_eq!(authority.refreshes(), 1);
    let seen = server.seen();
    let sent: Vec<_> = seen[before..].iter().filter_map(|seen| seen.header("authorization")).collect();
    assert!(!sent.is_empty() && sent.iter().all(|sent| *sent == "Bearer token-3"), "{sent:?}");
}

#[tokio::test]
async fn token_with_a_short_life_is_sent() {
    let Guarded { authority, hub, .. } = &Guarded::start(HTTP).await;
    authority.with(|state| state.lifetime = 29);
    authorize(hub).await;
    assert_eq!(echo(hub, "web", "a").await.unwrap(), "a");
    assert_eq!(authority.refreshes(), 0, "it is fresh for half of its life");
}

#[tokio::test]
async fn dropped_call_loses_no_token() {
    let Guarded { server, authority, hub, .. } = &Guarded::authorized(HTTP).await;
    authority.with(|state| state.tokens.clear());
    {
        let call = echo(hub, "web", "a");
        let seen = server.saw(2, |seen| seen.is("POST", "/token"));
        tokio::select! {
            biased;
            _ = call => {}
            () = seen => {}
        }
    }
    assert_eq!(echo(hub, "web", "b").await.unwrap(), "b");
    assert_eq!(authority.with(|state| state.reused), 0);
}

#[tokio::test]
async fn refused_refresh_token_needs_a_new_authorization_and_a_broken_server_does_not() {
    for way in WAYS {
        let Guarded { authority, hub, .. } = &Guarded::authorized(way).await;

        authority.with(|state| {
            state.refusal = Some((503, json!({})));
            state.tokens.clear();
        });
        let why = echo(hub, "web", "a").await.unwrap_err();
        assert!(!why.contains("token-") && !why.contains("refresh-"), "{why}");
        assert!(
            why.contains("`echo` was not authorized at the server `web`: the token cannot be renewed"),
            "{why}"
        );
        assert!(why.contains("HTTP 503 Service Unavailable"), "{why}");
        assert!(
            matches!(hub.restart("web").await.unwrap(), ServerState::Reconnecting { why, .. } if why.contains("the token cannot be renewed"))
        );
        authority.with(|state| state.refusal = None);
        until(hub, is_connected).await;

        authority.with(|state| {
            state.tokens.clear();
            state.refresh.clear();
        });
        let before = authority.refreshes();
        let calls = (0..5).map(|_| hub.call(CallRequest::new("web", "echo").arguments(json!({"text": "b"}))));
        for error in join_all(calls).await {
            assert!(matches!(error, Err(CallError::Unauthorized { .. })), "{error:?}");
        }
        until(hub, is_refused).await;
        assert_eq!(authority.refreshes() - before, 1, "the refused token is not sent again");
        let reason = "the authorization server renews no token: ";
        let troubles = hub.troubles("web").unwrap();
        let is_reason = |what: &str| what.starts_with(reason) && what.ends_with("invalid_grant");
        assert!(troubles.iter().any(|trouble| is_reason(&trouble.what)), "{troubles:?}");
        authorize(hub).await;
        assert_eq!(authority.with(|state| state.registered.len()), 1, "the client is known there already");
    }
}

#[tokio::test]
async fn more_scope_is_asked_for_beside_what_was_granted() {
    let Guarded { authority, hub, .. } = &Guarded::authorized(HTTP).await;
    authority.with(|state| state.scope = Some("write".into()));
    let why = echo(hub, "web", "a").await.unwrap_err();
    assert!(why.contains("was not authorized") && why.contains("scope=\"write\""), "{why}");
    assert!(is_connected(&hub.server("web").unwrap().state), "the others may still be called");
    let (authorization, redirect) = begin(hub).await;
    let asked = form(authorization.url().split_once('?').unwrap().1);
    assert_eq!(asked["scope"], "basic write");
    authority.with(|state| state.scope = None);
    authorization.finish(&redirect).await.unwrap();
    assert_eq!(echo(hub, "web", "a").await.unwrap(), "a");
}

#[tokio::test]
async fn page_asks_for_consent_to_offline_access() {
    let Guarded { authority, hub, .. } = &Guarded::start(HTTP).await;
    for (supported, prompt) in
        [(json!(["basic"]), None), (json!(["basic", "offline_access"]), Some("consent"))]
    {
        authority.with(|state| state.metadata["scopes_supported"] = supported);
        let (authorization, _) = begin(hub).await;
        let asked = form(authorization.url().split_once('?').unwrap().1);
        assert_eq!(asked["scope"].contains("offline_access"), prompt.is_some());
        assert_eq!(asked.get("prompt").map(String::as_str), prompt);
    }
}

#[tokio::test]
async fn unsafe_page_ends_the_authorization() {
    let Guarded { authority, hub, .. } = &Guarded::start(HTTP).await;
    for page in [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "vscode://evil/run",
        "http://evil.example/auth",
        "https://accounts.google.com@evil.example/auth",
        "https://x.example/$(calc)'`;\"&calc",
        "https://x.example/\n/auth",
    ] {
        authority.with(|state| state.metadata["authorization_endpoint"] = json!(page));
        let request = AuthorizationRequest::new("http://127.0.0.1:9/callback");
        let error = hub.authorize("web", request).await.unwrap_err();
        assert!(matches!(error, AuthorizeError::Page(_)), "{page}: {error}");
    }
    assert!(authority.with(|state| state.registered.is_empty()));
    authority.with(|state| _ = state.metadata.as_object_mut().unwrap().remove("authorization_endpoint"));
    authorize(hub).await;
}

#[tokio::test]
async fn invalid_answer_is_reported() {
    let Guarded { authority, hub, .. } = &Guarded::start(HTTP).await;
    let (authorization, redirect) = begin(hub).await;
    assert!(!format!("{authorization:?}").contains("code_challenge"));
    let state = redirect.split_once("state=").unwrap().1.to_owned();
    let denied =
        format!("http://127.0.0.1:9/callback?error=access_denied&error_description=No&state={state}");
    let error = authorization.finish(&denied).await.unwrap_err();
    assert!(
        matches!(error, AuthorizeError::Denied { error, description } if error == "access_denied" && description.as_deref() == Some("No"))
    );
    for foreign in
        ["nothing", "http://127.0.0.1:9/callback?code=x", "http://127.0.0.1:9/callback?code=x&state=y"]
    {
        let (authorization, _) = begin(hub).await;
        assert!(matches!(authorization.finish(foreign).await, Err(AuthorizeError::Foreign)), "{foreign}");
    }
    authority.with(|state| state.refusal = Some((500, json!({}))));
    let (authorization, redirect) = begin(hub).await;
    assert!(matches!(authorization.finish(&redirect).await, Err(AuthorizeError::Server(_))));
    assert!(is_refused(&hub.server("web").unwrap().state));
}

#[tokio::test]
async fn not_every_server_can_be_authorized_for() {
    let server = WebServer::start();
    let mut endpoint = Endpoint::new(server.url("/mcp"));
    endpoint.headers.insert("authorization".into(), "Bearer mine".into());
    let sources = Sources::new()
        .server("header", ServerConfig::new(Launch::Http(endpoint)))
        .server("program", ServerConfig::new(Stdio::new("agentwire-no-such-command")))
        .server("unset", ServerConfig::new(Launch::Http(Endpoint::new("http://${env:AGENTWIRE_UNSET}/"))));
    let hub = Hub::builder().sources(sources).build();
    let authorize = async |server| {
        hub.authorize(server, AuthorizationRequest::new("http://127.0.0.1:9/")).await.unwrap_err()
    };
    assert!(matches!(authorize("none").await, AuthorizeError::UnknownServer));
    assert!(matches!(authorize("program").await, AuthorizeError::NotHttp));
    assert!(matches!(authorize("header").await, AuthorizeError::HasHeader));
    assert!(
        matches!(authorize("unset").await, AuthorizeError::Configuration(why) if why.contains("AGENTWIRE_UNSET"))
    );
}
