//! Streamable HTTP.

use std::{io, sync::atomic::AtomicUsize, sync::atomic::Ordering::SeqCst, time::Duration};

use axum::{body::Body, http::header, response::Response};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use serde_json::json;

use super::{
    Ended, lost, over_http, text, web,
    web::{Seen, WebServer, status},
    within,
};

fn challenge(code: u16, challenge: &'static str) -> Response {
    let mut response = status(code);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge.parse().unwrap());
    response
}

#[tokio::test]
async fn headers_go_with_every_request_and_the_session_is_deleted() {
    let server = WebServer::start();
    let web = web(&server.url("/mcp"), &[("X-Key", "secret"), ("Authorization", "Bearer mine")]);
    let mut connected = over_http(web).await.unwrap_or_else(|(why, _)| panic!("{why}"));
    assert_eq!(text(connected.echo("hello").await.unwrap()), "hello");
    within(connected.service.close()).await.unwrap();
    let seen = server.seen();
    assert!(seen.len() >= 4, "{seen:?}");
    for request in &seen {
        assert_eq!(request.header("x-key"), Some("secret"));
        assert_eq!(request.header("authorization"), Some("Bearer mine"));
        assert!(request.header("user-agent").unwrap().starts_with("agentwire-hub/"));
    }
    assert!(seen.iter().any(|request| request.is("DELETE", "/mcp")));
}

#[tokio::test]
async fn a_forgotten_session_is_made_anew_and_everything_is_asked_for_again() {
    let server = WebServer::start();
    let mut connected =
        over_http(web(&server.url("/mcp"), &[])).await.unwrap_or_else(|(why, _)| panic!("{why}"));
    assert_eq!(connected.tools().await, ["echo"]);
    let _streams = server.forget();
    server.offer(&["echo", "more"]);
    assert_eq!(text(connected.echo("again").await.unwrap()), "again", "the call itself does not notice");
    assert_eq!(
        [connected.hears().await, connected.hears().await, connected.hears().await],
        ["tools", "resources", "prompts"]
    );
    assert_eq!(connected.tools().await, ["echo", "more"]);
    let initialized = server.seen().iter().filter(|seen| seen.rpc() == "notifications/initialized").count();
    assert_eq!(initialized, 2);
}

#[tokio::test]
async fn a_server_that_was_started_anew_ends_the_connection_when_its_stream_is_asked_for() {
    let server = WebServer::start();
    let connected = over_http(web(&server.url("/mcp"), &[])).await.unwrap_or_else(|(why, _)| panic!("{why}"));
    within(server.saw(1, |seen| seen.is("GET", "/mcp"))).await;
    drop(server.forget());
    assert_eq!(lost(&connected.ended().await), "the server has forgotten the session");
}

#[tokio::test]
async fn a_server_that_is_gone_ends_the_connection() {
    let server = WebServer::start();
    let connected = over_http(web(&server.url("/mcp"), &[])).await.unwrap_or_else(|(why, _)| panic!("{why}"));
    let place = server.stop();
    // With the stream cut, `rmcp` tries at once to have it again.
    let ended = connected.ended().await;
    assert!(lost(&ended).starts_with("error sending request: "), "{ended:?}");
    assert!(!lost(&ended).contains(&place.address().to_string()), "no address: {ended:?}");
    let server = WebServer::at(place, &["other"]);
    let again = over_http(web(&server.url("/mcp"), &[])).await.unwrap_or_else(|(why, _)| panic!("{why}"));
    assert_eq!(again.tools().await, ["other"]);
}

#[tokio::test]
async fn a_call_to_a_server_that_is_gone_fails_and_ends_the_connection() {
    let server = WebServer::start();
    // Without a stream there is nothing but the call to notice it.
    server.fault(|seen| seen.is("GET", "/mcp").then(|| status(405)));
    let connected = over_http(web(&server.url("/mcp"), &[])).await.unwrap_or_else(|(why, _)| panic!("{why}"));
    assert_eq!(text(connected.echo("a").await.unwrap()), "a");
    let _place = server.stop();
    // What is left of the pooled connection may fail by itself first.
    while !connected.service.peer().is_transport_closed() {
        assert!(connected.echo("b").await.is_err());
    }
    let ended = connected.ended().await;
    assert!(lost(&ended).contains("refused"), "{ended:?}");
}

#[tokio::test]
async fn a_refusal_at_the_start_wants_an_authorization() {
    let server = WebServer::start();
    server.fault(|_| Some(challenge(401, "Bearer realm=\"x\"")));
    let (why, _) = over_http(web(&server.url("/mcp"), &[])).await.err().unwrap();
    assert_eq!(why, Ended::Unauthorized { challenge: Some("Bearer realm=\"x\"".into()) });
    server.fault(|_| Some(status(401)));
    let (why, _) = over_http(web(&server.url("/mcp"), &[])).await.err().unwrap();
    assert_eq!(why, Ended::Unauthorized { challenge: None });
    server.fault(|_| Some(challenge(403, "Bearer error=\"insufficient_scope\", scope=\"a b\"")));
    let (why, _) = over_http(web(&server.url("/mcp"), &[])).await.err().unwrap();
    let expected = "Bearer error=\"insufficient_scope\", scope=\"a b\"";
    assert_eq!(why, Ended::Unauthorized { challenge: Some(expected.into()) });
    server.fault(|_| Some(status(403)));
    let (why, _) = over_http(web(&server.url("/mcp"), &[])).await.err().unwrap();
    assert!(lost(&why).contains("HTTP 403"), "nobody was asked to authorize himself: {why:?}");
}

#[tokio::test]
async fn a_refusal_in_between_ends_the_connection_and_one_for_want_of_scope_does_not() {
    let server = WebServer::start();
    let connected = over_http(web(&server.url("/mcp"), &[])).await.unwrap_or_else(|(why, _)| panic!("{why}"));
    let scope = "Bearer error=\"insufficient_scope\", scope=\"admin\"";
    server.fault(move |seen| (seen.rpc() == "tools/call").then(|| challenge(403, scope)));
    connected.echo("a").await.unwrap_err();
    assert_eq!(connected.link.challenge().as_deref(), Some(scope));
    server.no_fault();
    assert_eq!(text(connected.echo("b").await.unwrap()), "b");
    server.fault(|seen| (seen.rpc() == "tools/call").then(|| challenge(401, "Bearer")));
    connected.echo("c").await.unwrap_err();
    assert_eq!(connected.ended().await, Ended::Unauthorized { challenge: Some("Bearer".into()) });
}

#[tokio::test]
async fn errors_of_the_server_fail_the_start_with_what_it_said() {
    let server = WebServer::start();
    server.fault(|_| Some(status(500)));
    let (why, _) = over_http(web(&server.url("/mcp?key=secret"), &[])).await.err().unwrap();
    assert_eq!(lost(&why), "HTTP 500");
    server.fault(|_| {
        let mut response = status(400);
        *response.body_mut() = Body::from("what is this?");
        Some(response)
    });
    let (why, _) = over_http(web(&server.url("/mcp?key=secret"), &[])).await.err().unwrap();
    assert!(lost(&why).contains("HTTP 400 Bad Request: what is this?"), "{why:?}");
    let url = server.url("/mcp?key=secret");
    let _place = server.stop();
    let (why, error) = over_http(web(&url, &[])).await.err().unwrap();
    assert!(lost(&why).contains("refused"), "{why:?}");
    assert!(!format!("{why:?} {error:?} {error}").contains("secret"));
}

#[tokio::test]
async fn an_error_of_the_server_fails_one_call() {
    let server = WebServer::start();
    let connected = over_http(web(&server.url("/mcp"), &[])).await.unwrap_or_else(|(why, _)| panic!("{why}"));
    for code in [500, 502, 503, 429, 400, 408] {
        server.fault(move |seen| (seen.rpc() == "tools/call").then(|| status(code)));
        let error = connected.echo("a").await.unwrap_err();
        assert!(format!("{error:?}").contains(&code.to_string()), "{error:?}");
    }
    server.no_fault();
    assert_eq!(text(connected.echo("b").await.unwrap()), "b");
}

#[tokio::test]
async fn an_answer_that_is_cut_fails_one_call() {
    let server = WebServer::start();
    let connected = over_http(web(&server.url("/mcp"), &[])).await.unwrap_or_else(|(why, _)| panic!("{why}"));
    for kind in ["application/json", "text/event-stream"] {
        server.fault(move |seen| {
            (seen.rpc() == "tools/call").then(|| {
                let parts =
                    stream::iter([Ok(Bytes::from("data: {\"jsonrpc\":")), Err(io::Error::other("cut"))]);
                let mut response = Response::new(Body::from_stream(parts));
                response.headers_mut().insert(header::CONTENT_TYPE, kind.parse().unwrap());
                response
            })
        });
        connected.echo("a").await.unwrap_err();
    }
    server.no_fault();
    assert_eq!(text(connected.echo("b").await.unwrap()), "b");
}

#[tokio::test]
async fn an_event_without_bounds_fails_one_call_and_takes_no_memory() {
    let server = WebServer::start();
    let connected = over_http(web(&server.url("/mcp"), &[])).await.unwrap_or_else(|(why, _)| panic!("{why}"));
    server.fault(|seen| (seen.rpc() == "tools/call").then(|| endless("text/event-stream")));
    connected.echo("a").await.unwrap_err();
    server.fault(|seen| (seen.rpc() == "tools/call").then(|| endless("application/json")));
    connected.echo("a").await.unwrap_err();
    server.no_fault();
    assert_eq!(text(connected.echo("b").await.unwrap()), "b");
}

/// An answer that never ends.
fn endless(kind: &'static str) -> Response {
    let megabyte = Bytes::from(vec![b'x'; 1 << 20]);
    let parts = stream::repeat(megabyte).map(io::Result::Ok);
    let mut response = Response::new(Body::from_stream(parts));
    response.headers_mut().insert(header::CONTENT_TYPE, kind.parse().unwrap());
    response
}

#[tokio::test]
async fn a_start_that_hears_nothing_ends_when_it_is_dropped() {
    let server = WebServer::routes(axum::Router::new().fallback(std::future::pending::<Response>));
    let start = over_http(web(&server.url("/mcp"), &[]));
    tokio::time::timeout(Duration::from_millis(300), start).await.err().unwrap();
}

#[tokio::test]
async fn redirects_stay_with_the_origin_and_keep_the_message() {
    let other = WebServer::start();
    let server = WebServer::start();
    let there = other.url("/mcp");
    let hops = AtomicUsize::new(0);
    let redirect = move |code: u16, to: &str| {
        hops.fetch_add(1, SeqCst);
        let mut response = status(code);
        response.headers_mut().insert(header::LOCATION, to.parse().unwrap());
        Some(response)
    };
    let redirect = std::sync::Arc::new(redirect);
    let same = redirect.clone();
    server.fault(move |seen: &Seen| if seen.path == "/old" { same(308, "/mcp") } else { None });
    let connected = over_http(web(&server.url("/old"), &[("x-key", "secret")]))
        .await
        .unwrap_or_else(|(why, _)| panic!("{why}"));
    assert_eq!(text(connected.echo("hello").await.unwrap()), "hello");
    for code in [301, 302, 303, 307, 308] {
        let (redirect, there) = (redirect.clone(), there.clone());
        server.fault(move |_| redirect(code, &there));
        over_http(web(&server.url("/old"), &[("x-key", "secret")])).await.err().unwrap();
    }
    assert_eq!(other.seen().len(), 0, "nothing of ours went to another origin");
}

#[tokio::test]
async fn what_the_server_tells_comes_over_its_stream() {
    let server = WebServer::start();
    let mut connected =
        over_http(web(&server.url("/mcp"), &[])).await.unwrap_or_else(|(why, _)| panic!("{why}"));
    within(server.saw(1, |seen| seen.is("GET", "/mcp"))).await;
    server.event(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
    assert_eq!(connected.hears().await, "tools");
    // A stream that is ended in good order is asked for again.
    server.end_streams();
    within(server.saw(2, |seen| seen.is("GET", "/mcp"))).await;
    server.event(&json!({"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"}));
    assert_eq!(connected.hears().await, "prompts");
}
