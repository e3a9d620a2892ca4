//! Tests of the lines of a server.

use std::future::pending;

use agentwire_transport::TransportError;
use bytes::Bytes;
use rmcp::model::{ClientResult, EmptyResult, PingRequest};
use serde_json::json;

use super::*;

/// A server that writes nothing and reads nothing.
struct Silent;

impl ByteSource for Silent {
    async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
        pending().await
    }
}

impl ByteSink for Silent {
    async fn write(&mut self, _: Bytes) -> Result<(), TransportError> {
        pending().await
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        pending().await
    }
}

/// A server that reads everything.
struct Reader;

impl ByteSink for Reader {
    async fn write(&mut self, _: Bytes) -> Result<(), TransportError> {
        Ok(())
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        Ok(())
    }
}

fn lines() -> (Lines<Silent>, Arc<Backlog>) {
    let backlog = Arc::new(Backlog::new());
    (Lines::new(Silent, Silent, Arc::clone(&backlog), Arc::default()), backlog)
}

fn ping(id: i64) -> TxJsonRpcMessage<RoleClient> {
    JsonRpcMessage::request(PingRequest::default().into(), RequestId::Number(id))
}

fn id(number: i64) -> Option<RequestId> {
    Some(RequestId::Number(number))
}

#[tokio::test(start_paused = true)]
async fn requests_past_the_bound_are_refused_and_a_stalled_server_is_disconnected() {
    let (mut lines, backlog) = lines();
    let mut sent = 0;
    let error = loop {
        match lines.send(ping(sent)).await {
            Ok(()) => sent += 1,
            Err(error) => break error,
        }
        assert!(sent < 1_000_000, "there is no bound");
    };
    assert!(matches!(error, SendError::Full(_)), "{error}");
    assert!(error.to_string().starts_with("the server takes no input: "), "{error}");
    assert!(lines.receive().await.is_none(), "the connection has ended");
    assert!(backlog.broken().is_some());
    assert!(matches!(lines.send(ping(0)).await, Err(SendError::Closed)));
}

#[tokio::test(start_paused = true)]
async fn server_that_reads_no_answers_is_disconnected_at_once() {
    let (mut lines, backlog) = lines();
    let start = Instant::now();
    let answer = || JsonRpcMessage::response(ClientResult::EmptyResult(EmptyResult {}), RequestId::Number(1));
    let mut sent = 0;
    while lines.send(answer()).await.is_ok() {
        sent += 1;
        assert!(sent < 1_000_000, "there is no bound");
    }
    assert!(lines.receive().await.is_none());
    assert!(start.elapsed() <= LAST_WORDS);
    assert!(backlog.broken().is_some());
}

#[tokio::test(start_paused = true)]
async fn answer_that_arrived_is_received_before_the_end() {
    let (mut lines, backlog) = lines();
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    lines.decoder.push(format!("{answer}\n").into_bytes().into());
    lines.send(ping(0)).await.unwrap();
    backlog.give_up();
    assert!(matches!(lines.receive().await, Some(JsonRpcMessage::Response(_))));
    assert!(lines.receive().await.is_none());
}

#[tokio::test]
async fn answer_with_a_lone_surrogate_is_received() {
    let (mut lines, _) = lines();
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a\ud83d"}]}}"#;
    lines.decoder.push(format!("{answer}\n").into_bytes().into());
    let Some(JsonRpcMessage::Response(answer)) = lines.receive().await else { panic!("no response") };
    let answer = serde_json::to_value(answer.result).unwrap();
    assert_eq!(answer["content"][0]["text"], "a\u{fffd}");
}

#[tokio::test]
async fn answer_that_is_nested_too_deeply_fails_its_request_with_the_cause() {
    let (mut lines, _) = lines();
    let (opened, closed) = ("[".repeat(130), "]".repeat(130));
    let answer = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"a":{opened}{closed}}}}}"#);
    lines.decoder.push(format!("{answer}\n").into_bytes().into());
    let Some(JsonRpcMessage::Error(error)) = lines.receive().await else { panic!("no error") };
    assert_eq!(error.id, id(7));
    assert!(is_unreadable(&error.error), "{error:?}");
    let noted = lines.record.troubles();
    for text in [&*error.error.message, &*noted[0].what] {
        assert!(text.contains("recursion limit exceeded"), "{text}");
    }
}

#[tokio::test]
async fn closed_connection_can_be_closed_again_and_receives_nothing() {
    let mut lines = Lines::new(Silent, Reader, Arc::new(Backlog::new()), Arc::default());
    lines.close().await.unwrap();
    lines.close().await.unwrap();
    assert!(lines.receive().await.is_none());
}

#[tokio::test]
async fn long_answer_fails_its_request_and_any_other_long_line_ends_the_connection() {
    let long = "x".repeat(MAX_LINE);
    let (mut lines, backlog) = lines();
    let mut receive = async |line: String| {
        lines.decoder.push(format!("{line}\n").into_bytes().into());
        lines.receive().await
    };
    let first = receive(format!("{{\"id\":7,\"result\":\"{long}\"}}")).await;
    assert!(matches!(first, Some(JsonRpcMessage::Error(error)) if error.id == id(7)));
    assert_eq!(backlog.broken(), None);
    assert!(receive(format!("{{\"result\":\"{long}\",\"id\":7}}")).await.is_none());
    assert_eq!(backlog.broken(), Some(TOO_LONG));
}

#[test]
fn id_of_a_long_answer_is_found_before_its_result() {
    assert_eq!(answered_first(r#"{"jsonrpc":"2.0","id":5,"result":{"x"#), id(5));
    assert_eq!(answered_first(r#" { "id" : 5 , "error" : {"result": 1"#), id(5));
    assert_eq!(answered_first(r#"{"id":5,"jsonrpc":"2.0","result":"#), id(5));
    for other in [
        r#"{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","result":1"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"id":5,"result":"#,
        r#"{"result":{"id":5,"result":"#,
        r#"{"jsonrpc":"2.0","id":5"#,
        "",
    ] {
        assert_eq!(answered_first(other), None, "{other}");
    }
}

#[test]
fn invalid_answer_has_the_id_of_its_request() {
    assert_eq!(answered(br#"{"jsonrpc":"2.0","id":3,"error":"boom"}"#), id(3));
    assert_eq!(answered(br#"{"id":3,"method":"x","error":"boom"}"#), None);
    assert_eq!(answered(br#"{"level":"info"}"#), None);
}
