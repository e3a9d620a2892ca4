//! The older transport with its stream of events.

use std::io;

use axum::{
    body::Body,
    http::{StatusCode, header},
    response::{AppendHeaders, IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::{StreamExt as _, future::join_all, stream};
use rmcp::model::CallToolResult;
use serde_json::json;

use super::{
    Connected, DisconnectReason, RefusedMessage, ServiceError, challenge,
    http::door,
    is_unreadable, lost, over_sse, refusal, text, unauthorized, web,
    web::{Seen, WebServer, status},
    within,
};

fn events(parts: impl IntoIterator<Item = &'static str>) -> Response {
    let parts: Vec<_> = parts.into_iter().map(|part| io::Result::Ok(Bytes::from(part))).collect();
    let body = Body::from_stream(stream::iter(parts).chain(stream::pending()));
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

/// Starts a server and connects to it.
async fn start() -> (WebServer, Connected) {
    let server = WebServer::start();
    let connected = over_sse(web(&server.url("/sse"), &[])).await.unwrap();
    (server, connected)
}

#[tokio::test]
async fn messages_go_to_the_endpoint_and_responses_arrive_over_the_stream() {
    let server = WebServer::start();
    let mut connected = over_sse(web(&server.url("/sse"), &[("X-Key", "secret")])).await.unwrap();
    assert_eq!(text(connected.echo("ä\n").await.unwrap()), "ä\n");
    server.event(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
    assert_eq!(connected.next_notification().await, "tools");
    for seen in server.seen() {
        assert_eq!(seen.header("x-key"), Some("secret"), "{seen:?}");
    }
}

#[tokio::test]
async fn no_concurrent_call_is_lost() {
    let (_server, connected) = start().await;
    let calls = (0..200).map(|n| {
        let connected = &connected;
        async move { text(connected.echo(&n.to_string()).await.unwrap()) }
    });
    let answers = join_all(calls).await;
    assert!(answers.iter().enumerate().all(|(n, answer)| *answer == n.to_string()));
}

#[tokio::test]
async fn end_of_the_stream_ends_the_connection() {
    let (server, connected) = start().await;
    server.end_streams();
    assert_eq!(lost(&connected.ended().await), "the server has ended the stream of events");
}

#[tokio::test]
async fn broken_stream_fails_open_calls_and_ends_the_connection() {
    let (server, connected) = start().await;
    server.fault(|seen| (seen.rpc() == "tools/call").then(|| status(202)));
    let cut = async {
        within(server.saw(1, |seen| seen.rpc() == "tools/call")).await;
        server.push(|| Ok(Bytes::from("data: {\"jsonrpc\":\"2.0\",")));
        server.push(|| Err(io::Error::other("cut")));
    };
    let (answer, ()) = tokio::join!(connected.echo("a"), cut);
    answer.unwrap_err();
    let why = connected.ended().await;
    assert!(lost(&why).starts_with("the stream of events was cut: "), "{why:?}");
}

/// Calls a tool, which the server answers with this member of a response.
async fn answered(member: &str) -> Result<CallToolResult, ServiceError> {
    let (server, connected) = start().await;
    let is_call = |seen: &Seen| seen.rpc() == "tools/call";
    server.fault(move |seen| is_call(seen).then(|| status(202)));
    let answer = async {
        within(server.saw(1, is_call)).await;
        let call = server.seen().into_iter().find(is_call).unwrap();
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{},{member}}}"#, call.body["id"]);
        server.push(|| Ok(Bytes::from(format!("data: {answer}\n\n"))));
    };
    tokio::join!(connected.echo("a"), answer).0
}

#[tokio::test]
async fn unreadable_answer_fails_its_call() {
    let ServiceError::McpError(error) = answered(r#""error":"boom""#).await.unwrap_err() else {
        panic!("no error of MCP");
    };
    assert!(is_unreadable(&error), "{error}");
}

#[tokio::test]
async fn answer_with_a_lone_surrogate_is_received() {
    let answer = answered(r#""result":{"content":[{"type":"text","text":"a\ud83d"}]}"#).await;
    assert_eq!(text(answer.unwrap()), "a\u{fffd}");
}

#[tokio::test]
async fn restarted_server_is_reached_again() {
    let (server, connected) = start().await;
    let place = server.stop();
    let why = connected.ended().await;
    assert!(lost(&why).contains("stream of events"), "{why:?}");
    let url = format!("http://{}/sse?key=secret", place.address());
    let why = over_sse(web(&url, &[])).await.err().unwrap();
    assert!(lost(&why).contains("refused") && !lost(&why).contains("secret"), "{why:?}");
    let server = WebServer::at(place, &["other"]);
    let again = over_sse(web(&server.url("/sse"), &[])).await.unwrap();
    assert_eq!(again.tools().await, ["other"]);
}

#[tokio::test]
async fn call_that_finds_no_listener_was_not_sent() {
    let server = WebServer::start();
    // The next message then needs a connection of its own.
    server.fault(|seen| {
        let closing = (StatusCode::ACCEPTED, [(header::CONNECTION, "close")]);
        (seen.rpc() == "notifications/initialized").then(|| closing.into_response())
    });
    let (address, door) = door("127.0.0.1:0", server.address()).await;
    let connected = over_sse(web(&format!("http://{address}/sse"), &[])).await.unwrap();
    door.abort();
    assert!(door.await.unwrap_err().is_cancelled());
    let ServiceError::TransportSend(error) = connected.echo("now").await.unwrap_err() else { panic!() };
    let Some(RefusedMessage::NotSent(why)) = refusal(&*error.error) else { panic!("{error}") };
    assert!(why.contains("refused") && lost(&connected.ended().await) == why, "{why}");
}

#[tokio::test]
async fn expired_session_ends_the_connection() {
    let (server, connected) = start().await;
    let _streams = server.forget();
    connected.echo("a").await.unwrap_err();
    let why = connected.ended().await;
    assert!(lost(&why).contains("forgotten the session"), "{why:?}");
}

#[tokio::test]
async fn refusals_need_an_authorization() {
    let server = WebServer::start();
    server.fault(|_| Some(challenge(401, "Bearer x=1")));
    let why = over_sse(web(&server.url("/sse"), &[])).await.err().unwrap();
    assert_eq!(why, DisconnectReason::Unauthorized { challenge: Some("Bearer x=1".into()) });
    server.fault(|_| {
        let challenges = ["Basic realm=\"x\"", "DPoP scope=\"y\""];
        let challenges = challenges.map(|challenge| (header::WWW_AUTHENTICATE, challenge));
        Some((AppendHeaders(challenges), status(401)).into_response())
    });
    let why = over_sse(web(&server.url("/sse"), &[])).await.err().unwrap();
    let all = "Basic realm=\"x\", DPoP scope=\"y\"".into();
    assert_eq!(why, DisconnectReason::Unauthorized { challenge: Some(all) });
    server.fault(|_| Some(status(401)));
    let why = over_sse(web(&server.url("/sse"), &[])).await.err().unwrap();
    assert_eq!(why, DisconnectReason::Unauthorized { challenge: None });
    server.fault(|_| Some(status(403)));
    let why = over_sse(web(&server.url("/sse"), &[])).await.err().unwrap();
    assert_eq!(lost(&why), "the server answers with HTTP 403 Forbidden");

    server.no_fault();
    let connected = over_sse(web(&server.url("/sse"), &[])).await.unwrap();
    server.fault(|seen| (seen.rpc() == "tools/call").then(|| status(401)));
    for refused in join_all((0..20).map(|_| connected.echo("a"))).await {
        assert_eq!(unauthorized(refused.unwrap_err()), "it sent no challenge");
    }
    assert_eq!(connected.ended().await, DisconnectReason::Unauthorized { challenge: None });
}

#[tokio::test]
async fn server_error_fails_one_call() {
    let (server, connected) = start().await;
    for code in [500, 503, 400, 403, 302] {
        server.fault(move |seen| (seen.rpc() == "tools/call").then(|| status(code)));
        let error = connected.echo("a").await.unwrap_err();
        assert!(format!("{error:?}").contains(&code.to_string()), "{error:?}");
    }
    let scope = "Bearer error=\"insufficient_scope\", scope=\"admin\"";
    server.fault(move |seen| (seen.rpc() == "tools/call").then(|| challenge(403, scope)));
    let why = unauthorized(connected.echo("a").await.unwrap_err());
    assert_eq!(why, format!("its challenge is `{scope}`"));
    server.no_fault();
    assert_eq!(text(connected.echo("b").await.unwrap()), "b");
}

#[tokio::test]
async fn other_content_types_are_reported() {
    let server = WebServer::start();
    server.fault(|_| Some(([(header::CONTENT_TYPE, "text/html")], "<html>").into_response()));
    let why = over_sse(web(&server.url("/sse"), &[])).await.err().unwrap();
    assert_eq!(lost(&why), "the server answers with text/html, and not with a stream of events");
    server.fault(|_| Some(status(500)));
    let why = over_sse(web(&server.url("/sse"), &[])).await.err().unwrap();
    assert_eq!(lost(&why), "the server answers with HTTP 500 Internal Server Error");
}

#[tokio::test]
async fn endpoint_at_another_origin_is_always_refused() {
    let other = WebServer::start();
    let server = WebServer::start();
    let stolen: &'static str = format!("event: endpoint\ndata: {}\n\n", other.url("/message")).leak();
    server.fault(move |_| Some(events([stolen])));
    let why = over_sse(web(&server.url("/sse"), &[("x-key", "secret")])).await.err().unwrap();
    let expected =
        format!("the server wants its messages sent to another origin, http://{}", other.address());
    assert_eq!(why, DisconnectReason::Unusable(expected.as_str().into()));

    server.no_fault();
    let connected = over_sse(web(&server.url("/sse"), &[("x-key", "secret")])).await.unwrap();
    server.push(|| Ok(Bytes::from(stolen)));
    assert_eq!(connected.ended().await, DisconnectReason::Unusable(expected.as_str().into()));
    assert_eq!(other.seen().len(), 0);
}

#[tokio::test]
async fn endless_event_ends_the_connection() {
    let (server, connected) = start().await;
    let megabyte = Bytes::from(vec![b'x'; 1 << 20]);
    server.push(|| Ok(Bytes::from("data: ")));
    for _ in 0..17 {
        server.push(|| Ok(megabyte.clone()));
    }
    assert_eq!(lost(&connected.ended().await), "an event is larger than 16777216 bytes");
}

#[tokio::test]
async fn noise_on_the_stream_is_ignored() {
    let (server, connected) = start().await;
    for noise in [
        "data: not JSON\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n\n",
        ": ping\r\n\r\n",
        "event: ping\ndata: 1\n\n",
        "data\n\n",
        "retry: 1\nid: 5\n\n",
        "\u{feff}",
    ] {
        server.push(|| Ok(Bytes::from(noise)));
    }
    server.push(|| Ok(Bytes::from("\n\n")));
    assert_eq!(text(connected.echo("still here").await.unwrap()), "still here");
}

#[tokio::test]
async fn redirects_to_another_origin_are_not_followed() {
    let other = WebServer::start();
    let server = WebServer::start();
    let there = other.url("/sse");
    server.fault(move |seen| {
        let to = if seen.path == "/old" { "/sse" } else { return None };
        Some((StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to)]).into_response())
    });
    over_sse(web(&server.url("/old"), &[])).await.unwrap();
    server.fault(move |_| {
        Some((StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, there.clone())]).into_response())
    });
    let why = over_sse(web(&server.url("/sse"), &[("x-key", "secret")])).await.err().unwrap();
    assert_eq!(lost(&why), "the server answers with HTTP 307 Temporary Redirect");
    assert_eq!(other.seen().len(), 0);
}
