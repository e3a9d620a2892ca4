//! Streamable HTTP.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::{StreamExt as _, future::join_all, stream};
use serde_json::json;

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream, ToSocketAddrs},
    sync::Semaphore,
    task::JoinHandle,
    time::timeout,
};

use super::{
    Connected, DisconnectReason, RefusedMessage, ServiceError, challenge, is_unreadable, lost, over_http,
    refusal, text, unauthorized, web,
    web::{WebServer, status},
    within,
};

/// Starts a server and connects to it.
async fn start() -> (WebServer, Connected) {
    let server = WebServer::start();
    let connected = connect(&server).await;
    (server, connected)
}

async fn connect(server: &WebServer) -> Connected {
    over_http(web(&server.url("/mcp"), &[])).await.unwrap_or_else(|(why, _)| panic!("{why}"))
}

#[tokio::test]
async fn each_request_has_the_headers_and_the_session_is_deleted() {
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
async fn expired_session_is_replaced_and_all_lists_are_read_again() {
    let (server, mut connected) = start().await;
    assert_eq!(connected.tools().await, ["echo"]);
    let _streams = server.forget();
    server.offer(&["echo", "more"]);
    assert_eq!(text(connected.echo("again").await.unwrap()), "again", "the call itself does not notice");
    assert_eq!(
        [
            connected.next_notification().await,
            connected.next_notification().await,
            connected.next_notification().await
        ],
        ["tools", "resources", "prompts"]
    );
    assert_eq!(connected.tools().await, ["echo", "more"]);
    let initialized = server.seen().iter().filter(|seen| seen.rpc() == "notifications/initialized").count();
    assert_eq!(initialized, 2);
}

#[tokio::test]
async fn item_that_does_not_fit_hides_no_other_item_of_a_plain_response() {
    let (server, connected) = start().await;
    server.fault(|seen| {
        let tools = json!([{"name": "unfit"}, {"name": "good", "inputSchema": {"type": "object"}}]);
        let answer = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": {"tools": tools}});
        let kind = [(header::CONTENT_TYPE, "application/json")];
        (seen.rpc() == "tools/list").then(|| (kind, answer.to_string()).into_response())
    });
    assert_eq!(connected.tools().await, ["good"]);
}

#[tokio::test]
async fn refused_members_are_removed_from_a_plain_response() {
    let (server, connected) = start().await;
    server.fault(|seen| {
        let schema = json!({"type": "object", "required": null, "properties": {"a": true}});
        let tools = json!([{"name": "t", "inputSchema": schema}]);
        let answer = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": {"tools": tools}});
        let kind = [(header::CONTENT_TYPE, "application/json")];
        (seen.rpc() == "tools/list").then(|| (kind, answer.to_string()).into_response())
    });
    let listed = connected.service.peer().list_tools(None).await.unwrap();
    let schema = json!({"type": "object", "properties": {"a": {}}});
    assert_eq!(json!(listed.tools), json!([{"name": "t", "inputSchema": schema}]));
}

#[tokio::test]
async fn restarted_server_ends_the_connection_when_the_stream_is_opened() {
    let (server, connected) = start().await;
    within(server.saw(1, |seen| seen.is("GET", "/mcp"))).await;
    drop(server.forget());
    assert_eq!(lost(&connected.ended().await), "the server has forgotten the session");
}

#[tokio::test]
async fn forgotten_session_that_is_answered_with_status_400_ends_the_connection() {
    let (server, connected) = start().await;
    within(server.saw(1, |seen| seen.is("GET", "/mcp"))).await;
    let no_session = json!({"jsonrpc": "2.0", "error": {"code": -32000, "message": "No valid session ID"}});
    server.fault(move |_| {
        let kind = [(header::CONTENT_TYPE, "application/json")];
        Some((StatusCode::BAD_REQUEST, kind, no_session.to_string()).into_response())
    });
    let error = within(connected.echo("a")).await.unwrap_err();
    assert!(error.to_string().contains("No valid session ID"), "{error}");
    drop(server.forget());
    assert_eq!(lost(&connected.ended().await), "the server has forgotten the session");
}

#[tokio::test]
async fn unreachable_server_ends_the_connection() {
    let (server, connected) = start().await;
    let place = server.stop();
    // If the stream is cut, `rmcp` tries at once to open it again.
    let ended = connected.ended().await;
    assert!(lost(&ended).starts_with("error sending request: "), "{ended:?}");
    assert!(!lost(&ended).contains(&place.address().to_string()), "no address: {ended:?}");
    let server = WebServer::at(place, &["other"]);
    let again = connect(&server).await;
    assert_eq!(again.tools().await, ["other"]);
}

#[tokio::test]
async fn call_to_an_unreachable_server_fails_and_ends_the_connection() {
    let server = WebServer::start();
    // Without a stream, only a call can detect the end of the server.
    server.fault(|seen| seen.is("GET", "/mcp").then(|| status(405)));
    let connected = connect(&server).await;
    assert_eq!(text(connected.echo("a").await.unwrap()), "a");
    let _place = server.stop();
    // Calls on the pooled connection may fail first.
    while !connected.service.peer().is_transport_closed() {
        assert!(connected.echo("b").await.is_err());
    }
    let ended = connected.ended().await;
    assert!(lost(&ended).contains("refused"), "{ended:?}");
}

#[tokio::test]
async fn short_outage_of_the_listener_fails_no_call() {
    let Held { server, connected, gate, address, door } = Held::new().await;
    let held = join_all((0..HELD).map(|_| connected.echo("held")));
    let outage = async {
        server.saw(HELD, |seen| seen.rpc() == "tools/call").await;
        door.abort();
        assert!(door.await.unwrap_err().is_cancelled());
        let mut call = Box::pin(connected.echo("now"));
        assert!(timeout(Duration::from_millis(100), &mut call).await.is_err());
        let _door = self::door(address, server.address()).await;
        assert_eq!(text(call.await.unwrap()), "now");
        gate.add_permits(HELD);
    };
    let (held, ()) = tokio::join!(held, outage);
    held.into_iter().for_each(|held| assert_eq!(text(held.unwrap()), "let go"));
}

#[tokio::test]
async fn call_that_finds_no_listener_was_not_sent() {
    let Held { server, connected, door, .. } = Held::new().await;
    let held = join_all((0..HELD).map(|_| connected.echo("held")));
    let outage = async {
        server.saw(HELD, |seen| seen.rpc() == "tools/call").await;
        door.abort();
        assert!(door.await.unwrap_err().is_cancelled());
        let ServiceError::TransportSend(error) = connected.echo("now").await.unwrap_err() else { panic!() };
        let Some(RefusedMessage::NotSent(why)) = refusal(&*error.error) else { panic!("{error}") };
        why
    };
    let (held, why) = tokio::join!(held, outage);
    assert!(held.iter().all(Result::is_err), "{held:?}");
    assert!(why.contains("refused") && lost(&connected.ended().await) == why, "{why}");
}

/// A connection behind a listener of its own, whose calls of `held` use one connection each until the gate opens.
struct Held {
    server: WebServer,
    connected: Connected,
    gate: Arc<Semaphore>,
    address: SocketAddr,
    door: JoinHandle<()>,
}

impl Held {
    async fn new() -> Self {
        let server = WebServer::start();
        let (address, door) = door("127.0.0.1:0", server.address()).await;
        let url = format!("http://{address}/mcp");
        let connected = over_http(web(&url, &[])).await.unwrap_or_else(|(why, _)| panic!("{why}"));
        let gate = Arc::new(Semaphore::new(0));
        let opened = Arc::clone(&gate);
        server.fault(move |seen| {
            (seen.body["params"]["arguments"]["text"] == "held").then(|| {
                let result = json!({"content": [{"type": "text", "text": "let go"}]});
                let answer = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result});
                let gate = Arc::clone(&opened);
                let event = stream::once(async move {
                    gate.acquire().await.unwrap().forget();
                    io::Result::Ok(Bytes::from(format!("data: {answer}\n\n")))
                });
                ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(event)).into_response()
            })
        });
        Self { server, connected, gate, address, door }
    }
}

const HELD: usize = 4;

/// Passes connections on until it is aborted. Connections that were open then live on.
pub(crate) async fn door(at: impl ToSocketAddrs, to: SocketAddr) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind(at).await.unwrap();
    let address = listener.local_addr().unwrap();
    let accepting = tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut far = TcpStream::connect(to).await?;
                copy_bidirectional(&mut near, &mut far).await
            });
        }
    });
    (address, accepting)
}

#[tokio::test]
async fn refused_handshake_needs_an_authorization() {
    let server = WebServer::start();
    server.fault(|_| Some(challenge(401, "Bearer realm=\"x\"")));
    let (why, _) = over_http(web(&server.url("/mcp"), &[])).await.err().unwrap();
    assert_eq!(why, DisconnectReason::Unauthorized { challenge: Some("Bearer realm=\"x\"".into()) });
    server.fault(|_| Some(status(401)));
    let (why, _) = over_http(web(&server.url("/mcp"), &[])).await.err().unwrap();
    assert_eq!(why, DisconnectReason::Unauthorized { challenge: None });
    server.fault(|_| Some(challenge(403, "Bearer error=\"insufficient_scope\", scope=\"a b\"")));
    let (why, _) = over_http(web(&server.url("/mcp"), &[])).await.err().unwrap();
    let expected = "Bearer error=\"insufficient_scope\", scope=\"a b\"";
    assert_eq!(why, DisconnectReason::Unauthorized { challenge: Some(expected.into()) });
    server.fault(|_| Some(status(403)));
    let (why, _) = over_http(web(&server.url("/mcp"), &[])).await.err().unwrap();
    assert!(lost(&why).contains("HTTP 403"), "nobody was asked to authorize himself: {why:?}");
}

#[tokio::test]
async fn refused_call_ends_the_connection_unless_a_scope_is_missing() {
    let (server, connected) = start().await;
    let scope = "Bearer error=\"insufficient_scope\", scope=\"admin\"";
    server.fault(move |seen| (seen.rpc() == "tools/call").then(|| challenge(403, scope)));
    let why = unauthorized(connected.echo("a").await.unwrap_err());
    assert_eq!(why, format!("its challenge is `{scope}`"));
    assert_eq!(connected.link.challenge().as_deref(), Some(scope));
    server.no_fault();
    assert_eq!(text(connected.echo("b").await.unwrap()), "b");
    server.fault(|seen| (seen.rpc() == "tools/call").then(|| challenge(401, "Bearer")));
    for refused in join_all((0..20).map(|_| connected.echo("c"))).await {
        assert_eq!(unauthorized(refused.unwrap_err()), "its challenge is `Bearer`");
    }
    assert_eq!(connected.ended().await, DisconnectReason::Unauthorized { challenge: Some("Bearer".into()) });
}

#[tokio::test]
async fn server_error_fails_the_handshake_with_its_text() {
    let server = WebServer::start();
    server.fault(|_| Some(status(500)));
    let (why, _) = over_http(web(&server.url("/mcp?key=secret"), &[])).await.err().unwrap();
    assert_eq!(lost(&why), "HTTP 500");
    server.fault(|_| Some((StatusCode::BAD_REQUEST, Body::from("what is this?")).into_response()));
    let (why, _) = over_http(web(&server.url("/mcp?key=secret"), &[])).await.err().unwrap();
    assert!(lost(&why).contains("HTTP 400 Bad Request: what is this?"), "{why:?}");
    let url = server.url("/mcp?key=secret");
    let _place = server.stop();
    let (why, error) = over_http(web(&url, &[])).await.err().unwrap();
    assert!(lost(&why).contains("refused"), "{why:?}");
    assert!(!format!("{why:?} {error:?} {error}").contains("secret"));
}

#[tokio::test]
async fn server_error_fails_one_call() {
    let (server, connected) = start().await;
    for code in [500, 502, 503, 429, 400, 408] {
        server.fault(move |seen| (seen.rpc() == "tools/call").then(|| status(code)));
        let error = connected.echo("a").await.unwrap_err();
        assert!(format!("{error:?}").contains(&code.to_string()), "{error:?}");
    }
    server.no_fault();
    assert_eq!(text(connected.echo("b").await.unwrap()), "b");
}

#[tokio::test]
async fn truncated_response_fails_one_call() {
    let (server, connected) = start().await;
    for kind in ["application/json", "text/event-stream"] {
        server.fault(move |seen| {
            (seen.rpc() == "tools/call").then(|| {
                let parts =
                    stream::iter([Ok(Bytes::from("data: {\"jsonrpc\":")), Err(io::Error::other("cut"))]);
                ([(header::CONTENT_TYPE, kind)], Body::from_stream(parts)).into_response()
            })
        });
        connected.echo("a").await.unwrap_err();
    }
    server.no_fault();
    assert_eq!(text(connected.echo("b").await.unwrap()), "b");
}

#[tokio::test]
async fn unreadable_answer_in_an_event_fails_its_call() {
    let (server, connected) = start().await;
    server.fault(|seen| {
        (seen.rpc() == "tools/call").then(|| {
            let answer = json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": "boom"});
            ([(header::CONTENT_TYPE, "text/event-stream")], format!("data: {answer}\n\n")).into_response()
        })
    });
    let error = connected.echo("a").await.unwrap_err();
    let ServiceError::McpError(error) = error else { panic!("{error}") };
    assert!(is_unreadable(&error), "{error}");
}

#[tokio::test]
async fn lone_surrogate_in_an_event_is_read_and_in_a_plain_response_fails_one_call() {
    let (server, connected) = start().await;
    let fault = |kind: &'static str, start: &'static str| {
        server.fault(move |seen| {
            (seen.rpc() == "tools/call").then(|| {
                let result = r#"{"content":[{"type":"text","text":"a\ud83d"}]}"#;
                let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, seen.body["id"]);
                ([(header::CONTENT_TYPE, kind)], format!("{start}{answer}\n\n")).into_response()
            })
        });
    };
    fault("text/event-stream", "data: ");
    assert_eq!(text(connected.echo("a").await.unwrap()), "a\u{fffd}");
    fault("application/json", "");
    let error = connected.echo("a").await.unwrap_err();
    let ServiceError::TransportSend(error) = error else { panic!("{error}") };
    assert!(matches!(refusal(&*error.error), Some(RefusedMessage::Unreadable(_))), "{error}");
    server.no_fault();
    assert_eq!(text(connected.echo("b").await.unwrap()), "b");
}

#[tokio::test]
async fn endless_event_fails_one_call_in_bounded_memory() {
    let (server, connected) = start().await;
    server.fault(|seen| (seen.rpc() == "tools/call").then(|| endless("text/event-stream")));
    connected.echo("a").await.unwrap_err();
    server.fault(|seen| (seen.rpc() == "tools/call").then(|| endless("application/json")));
    connected.echo("a").await.unwrap_err();
    server.no_fault();
    assert_eq!(text(connected.echo("b").await.unwrap()), "b");
}

/// Returns a response that never ends.
fn endless(kind: &'static str) -> Response {
    let megabyte = Bytes::from(vec![b'x'; 1 << 20]);
    let parts = stream::repeat(megabyte).map(io::Result::Ok);
    ([(header::CONTENT_TYPE, kind)], Body::from_stream(parts)).into_response()
}

#[tokio::test]
async fn only_redirects_to_the_same_origin_that_keep_the_message_are_followed() {
    let other = WebServer::start();
    let server = WebServer::start();
    let there = other.url("/mcp");
    let redirect = |code: u16, to: &str| ([(header::LOCATION, to)], status(code)).into_response();
    server.fault(move |seen| (seen.path == "/old").then(|| redirect(308, "/mcp")));
    let connected = over_http(web(&server.url("/old"), &[("x-key", "secret")]))
        .await
        .unwrap_or_else(|(why, _)| panic!("{why}"));
    assert_eq!(text(connected.echo("hello").await.unwrap()), "hello");
    for code in [301, 302, 303, 307, 308] {
        let there = there.clone();
        server.fault(move |_| Some(redirect(code, &there)));
        over_http(web(&server.url("/old"), &[("x-key", "secret")])).await.err().unwrap();
    }
    assert_eq!(other.seen().len(), 0, "nothing of ours went to another origin");
}

#[tokio::test]
async fn stream_that_ends_again_and_again_causes_few_readings() {
    let (server, mut connected) = start().await;
    within(server.saw(1, |seen| seen.is("GET", "/mcp"))).await;
    server.end_streams();
    for list in ["tools", "resources", "prompts"] {
        assert_eq!(connected.next_notification().await, list);
    }
    server.end_streams();
    within(server.saw(3, |seen| seen.is("GET", "/mcp"))).await;
    server.event(&json!({"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"}));
    assert_eq!(connected.next_notification().await, "prompts");
    let next = timeout(Duration::from_millis(300), connected.next_notification());
    assert!(next.await.is_err(), "the next readings come later");
}

#[tokio::test]
async fn notifications_arrive_over_the_stream() {
    let (server, mut connected) = start().await;
    within(server.saw(1, |seen| seen.is("GET", "/mcp"))).await;
    server.event(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
    assert_eq!(connected.next_notification().await, "tools");
    // After an orderly end, the stream is opened again. A server without ids of events does not repeat what it missed.
    server.end_streams();
    for list in ["tools", "resources", "prompts"] {
        assert_eq!(connected.next_notification().await, list);
    }
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"});
    server.push(|| Ok(Bytes::from(format!("id: 1\ndata: {changed}\n\n"))));
    assert_eq!(connected.next_notification().await, "prompts");
    server.end_streams();
    within(server.saw(1, |seen| seen.header("last-event-id") == Some("1"))).await;
    server.event(&json!({"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}));
    assert_eq!(connected.next_notification().await, "resources");
}
