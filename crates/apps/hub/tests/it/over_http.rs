//! Servers over HTTP: losses, reconnects and missing authorization.

use std::{io, sync::Arc, time::Duration};

use agentwire_hub::{
    Approval, Backoff, CallError, CallRequest, Hub, HubBuilder, ServerState,
    config::{Endpoint, Launch, ServerConfig, Sources},
};
use axum::{
    body::Body,
    http::header,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use serde_json::json;
use tokio::sync::Notify;

use crate::{
    project,
    server::LIMIT,
    web::{Place, Seen, WebServer, status},
};

pub(crate) type Way = fn(Endpoint) -> Launch;

/// Both transports, with the path of each.
pub(crate) const WAYS: [(Way, &str); 2] = [(Launch::Http, "/mcp"), (Launch::Sse, "/sse")];

/// Returns a builder with short delays.
pub(crate) fn hasty(sources: Sources) -> HubBuilder {
    let backoff = Backoff {
        first: Duration::from_millis(20),
        longest: Duration::from_millis(100),
        ..Backoff::default()
    };
    Hub::builder().sources(sources).backoff(backoff).approval(Approval::allowed())
}

fn hub(launch: Launch) -> Hub {
    hasty(Sources::new().server("web", ServerConfig::new(launch))).build()
}

fn state(hub: &Hub) -> ServerState {
    hub.server("web").unwrap().state
}

/// Waits until the server `web` has a state, and returns it.
pub(crate) async fn until(hub: &Hub, is_wanted: impl Fn(&ServerState) -> bool) -> ServerState {
    let mut events = hub.events();
    let wait = async {
        loop {
            let now = state(hub);
            if is_wanted(&now) {
                return now;
            }
            events.next().await;
        }
    };
    match tokio::time::timeout(LIMIT, wait).await {
        Ok(state) => state,
        Err(_) => panic!("{:?} {:?}", state(hub), hub.troubles("web")),
    }
}

async fn connected(hub: &Hub) {
    until(hub, |state| matches!(state, ServerState::Connected { .. })).await;
}

async fn reconnecting(hub: &Hub) -> String {
    match until(hub, |state| matches!(state, ServerState::Reconnecting { .. })).await {
        ServerState::Reconnecting { why, .. } => why.to_string(),
        other => panic!("{other:?}"),
    }
}

fn echo() -> CallRequest {
    CallRequest::new("web", "echo").arguments(json!({"text": "a"}))
}

fn tools(hub: &Hub) -> Vec<String> {
    hub.catalog("web").unwrap().tools().iter().map(|tool| tool.name.to_string()).collect()
}

#[tokio::test]
async fn restarted_server_is_reached_again_with_its_new_tools() {
    for (way, path) in WAYS {
        let server = WebServer::start();
        let hub = hub(way(Endpoint::new(server.url(path))));
        connected(&hub).await;
        assert_eq!(tools(&hub), ["echo"]);
        let place = server.stop();
        let why = reconnecting(&hub).await;
        assert!(!why.is_empty() && !why.contains(&place.address().to_string()), "{why}");
        assert_eq!(tools(&hub), ["echo"], "what it offered last stays known");
        let _server = WebServer::at(place, &["other", "more"]);
        connected(&hub).await;
        assert_eq!(tools(&hub), ["other", "more"]);
    }
}

#[tokio::test]
async fn server_that_is_not_listening_yet_is_retried() {
    for (way, path) in WAYS {
        let place = Place::new();
        let hub = hub(way(Endpoint::new(format!("http://{}{path}?key=secret", place.address()))));
        let why = reconnecting(&hub).await;
        assert!(why.contains("refused") && !why.contains("secret"), "{why}");
        let _server = WebServer::at(place, &["echo"]);
        connected(&hub).await;
    }
}

#[tokio::test]
async fn expired_session_is_replaced() {
    for (way, path) in WAYS {
        let server = WebServer::start();
        let hub = hub(way(Endpoint::new(server.url(path))));
        connected(&hub).await;
        server.offer(&["echo", "more"]);
        let _streams = server.forget();
        hub.refresh("web").await;
        project::until(&hub, || tools(&hub).len() == 2).await;
    }
}

#[tokio::test]
async fn refused_call_names_the_status_and_does_not_count_as_a_lost_connection() {
    for (way, path) in WAYS {
        let server = WebServer::start();
        let hub = hub(way(Endpoint::new(server.url(path))));
        connected(&hub).await;
        for code in [429, 413, 502] {
            server.fault(move |seen| (seen.rpc() == "tools/call").then(|| status(code)));
            let error = hub.call(echo()).await.unwrap_err();
            let CallError::Protocol { why, .. } = &error else { panic!("{error:?}") };
            assert!(why.contains(&format!("HTTP {code}")), "{error}");
        }
    }
}

#[tokio::test]
async fn list_that_cannot_be_read_names_the_cause() {
    for (way, path) in WAYS {
        let server = WebServer::start();
        server.fault(|seen| (seen.rpc() == "tools/list").then(|| status(503)));
        let hub = hub(way(Endpoint::new(server.url(path))));
        connected(&hub).await;
        let problems: Vec<_> = hub.catalog("web").unwrap().problems().collect();
        assert!(
            matches!(&problems[..], [only] if only.why.contains("503") && !only.why.contains("Transport")),
            "{problems:?}"
        );
    }
}

#[tokio::test]
async fn call_whose_response_is_cut_names_the_cause() {
    let server = WebServer::start();
    let hub = hub(Launch::Http(Endpoint::new(server.url("/mcp"))));
    connected(&hub).await;
    server.fault(|seen| {
        (seen.rpc() == "tools/call").then(|| {
            let parts = stream::iter([Ok(Bytes::from("{\"jsonrpc\":")), Err(io::Error::other("cut"))]);
            ([(header::CONTENT_TYPE, "application/json")], Body::from_stream(parts)).into_response()
        })
    });
    let error = hub.call(echo()).await.unwrap_err();
    let CallError::ConnectionLost { why: Some(why), .. } = &error else { panic!("{error:?}") };
    assert!(why.contains("closed before message completed"), "{error}");
    assert!(matches!(state(&hub), ServerState::Connected { .. }));
}

#[tokio::test]
async fn call_in_a_session_that_is_replaced_is_lost() {
    let server = WebServer::start();
    let hub = hub(Launch::Http(Endpoint::new(server.url("/mcp"))));
    connected(&hub).await;
    server.fault(|seen| {
        (seen.rpc() == "tools/call").then(|| {
            let token = &seen.body["params"]["_meta"]["progressToken"];
            let step = json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": 1}});
            let first = stream::iter([io::Result::Ok(Bytes::from(format!("data: {step}\n\n")))]);
            let body = Body::from_stream(first.chain(stream::pending()));
            ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
        })
    });
    let begun = Arc::new(Notify::new());
    let begins = Arc::clone(&begun);
    let replace = async {
        begun.notified().await;
        let streams = server.forget();
        hub.refresh("web").await;
        streams
    };
    let (lost, _streams) = tokio::join!(hub.call(echo().on_progress(move |_| begins.notify_one())), replace);
    let error = lost.unwrap_err();
    assert_eq!(error.code(), "connection_lost", "{error}");
    assert!(error.to_string().contains("re-initialized before the response arrived"), "{error}");
}

#[tokio::test]
async fn subscriptions_are_made_again_in_a_session_that_replaces_an_expired_one() {
    let server = WebServer::start();
    server.take_subscriptions();
    let hub = hub(Launch::Http(Endpoint::new(server.url("/mcp"))));
    connected(&hub).await;
    hub.subscribe("web", "test://a").await.unwrap();
    let _streams = server.forget();
    hub.refresh("web").await;
    let is_one = |seen: &Seen| seen.rpc() == "resources/subscribe";
    let again = server.saw(2, is_one);
    tokio::time::timeout(LIMIT, again).await.expect("the new session has no subscription");
    let seen = server.seen();
    let sessions: Vec<_> =
        seen.iter().filter(|seen| is_one(seen)).map(|seen| seen.header("mcp-session-id")).collect();
    assert_ne!(sessions[0], sessions[1]);
}

#[tokio::test]
async fn changes_without_a_stream_are_found_when_it_is_opened_again() {
    let server = WebServer::start();
    let hub = hub(Launch::Http(Endpoint::new(server.url("/mcp"))));
    connected(&hub).await;
    let opened = server.saw(1, |seen| seen.is("GET", "/mcp"));
    tokio::time::timeout(LIMIT, opened).await.expect("there is no stream");
    server.offer(&["echo", "more"]);
    server.end_streams();
    project::until(&hub, || tools(&hub).len() == 2).await;
}

#[tokio::test]
async fn refused_connection_needs_an_authorization() {
    for (way, path) in WAYS {
        let server = WebServer::start();
        server.fault(|_| Some(refusal()));
        let hub = hub(way(Endpoint::new(server.url(path))));
        assert!(hub.wait_until_ready(LIMIT).await);
        let ServerState::NeedsAuthentication { challenge } = state(&hub) else { panic!("{:?}", state(&hub)) };
        assert_eq!(challenge.as_deref(), Some("Bearer realm=\"x\""));
        let asked = server.seen().len();
        server.no_fault();
        assert!(matches!(hub.restart("web").await, Some(ServerState::Connected { .. })));
        assert!(server.seen().len() > asked);
        // A refusal after the connection was open has the same effect.
        server.fault(|_| Some(status(401)));
        hub.refresh("web").await;
        until(&hub, |state| matches!(state, ServerState::NeedsAuthentication { challenge: None })).await;
    }
}

#[tokio::test]
async fn refused_tool_list_needs_an_authorization() {
    for (way, path) in WAYS {
        let server = WebServer::start();
        server.fault(|seen| (seen.rpc() == "tools/list").then(refusal));
        let hub = hub(way(Endpoint::new(server.url(path))));
        until(&hub, |state| matches!(state, ServerState::NeedsAuthentication { .. })).await;
    }
}

#[tokio::test]
async fn unusable_configuration_is_not_retried() {
    for (way, path) in WAYS {
        let server = WebServer::start();
        let mut endpoint = Endpoint::new(server.url(path));
        endpoint.headers.insert("Accept".into(), "secret".into());
        let hub = hub(way(endpoint));
        assert!(hub.wait_until_ready(LIMIT).await);
        let ServerState::Failed { why } = state(&hub) else { panic!("{:?}", state(&hub)) };
        assert_eq!(&*why, "the header Accept is the connection's own");
        assert!(server.seen().is_empty());
    }
}

#[tokio::test]
async fn start_is_limited_in_time() {
    for (way, path) in WAYS {
        let server = WebServer::routes(axum::Router::new().fallback(std::future::pending::<Response>));
        let mut config = ServerConfig::new(way(Endpoint::new(server.url(path))));
        config.startup_timeout = Duration::from_millis(200);
        let hub = Hub::builder().sources(Sources::new().server("web", config)).build();
        assert_eq!(reconnecting(&hub).await, "it was not ready within 0.2 s");
    }
}

fn refusal() -> Response {
    let mut response = status(401);
    response.headers_mut().insert("www-authenticate", "Bearer realm=\"x\"".parse().unwrap());
    response
}
