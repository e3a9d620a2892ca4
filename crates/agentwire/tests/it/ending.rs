//! Ends of sessions: earlier messages are delivered, then one cause.

use std::time::Duration;

use agentwire::{
    Error, Session,
    transport::{ExitReport, TransportError},
};
use serde_json::json;
use tokio::time::Instant;

use crate::peer::{assistant, connect, connected, error_result, fails, init, next_kind, result};

/// Connects to a peer that exits in the handshake after these lines; returns the error and the time it took.
async fn exits_in_the_handshake(lines: &[String], report: ExitReport) -> (Error, Duration) {
    let start = Instant::now();
    let (session, ..) = connect(Session::builder(), async |peer| {
        peer.request("initialize").await;
        for line in lines {
            peer.say(line).await;
        }
        peer.exit(report);
    })
    .await;
    (session.unwrap_err(), start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_crash_is_an_error_of_its_turn() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let mut turn = peer.start_turn(&mut session, "hi").await;
    peer.say(assistant("one")).await;
    peer.exit(ExitReport::exited(3));
    assert_eq!(crate::peer::kind(&turn.next().await.unwrap().unwrap()), "assistant");
    let error = turn.next().await.unwrap().unwrap_err();
    assert!(error.ending().unwrap().in_turn, "{error}");
    assert!(turn.next().await.is_none());
    assert!(session.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn id_of_a_session_is_known_after_a_crash() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    assert_eq!(session.id(), None);
    let turn = peer.start_turn(&mut session, "hi").await;
    peer.say(init()).await;
    peer.exit(ExitReport::exited(3));
    turn.text().await.unwrap_err();
    assert_eq!(session.id().map(|id| id.as_str()), Some("s"));
}

#[tokio::test(start_paused = true)]
async fn init_without_an_id_does_not_replace_the_id() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let turn = peer.start_turn(&mut session, "hi").await;
    peer.say(init()).await;
    let mut nameless = init();
    nameless.as_object_mut().unwrap().remove("session_id");
    peer.say(nameless).await;
    peer.complete_turn("hello").await;
    turn.text().await.unwrap();
    assert_eq!(session.id().map(|id| id.as_str()), Some("s"));
}

#[tokio::test(start_paused = true)]
async fn exit_in_the_handshake_reports_the_result() {
    let message = "No conversation found with session ID: x";
    let (error, took) =
        exits_in_the_handshake(&[error_result(message).to_string()], ExitReport::exited(1)).await;
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert!(error.to_string().contains(message), "{error}");
    assert_eq!(error.ending().unwrap().exit.as_ref().unwrap().code, Some(1));
}

#[tokio::test(start_paused = true)]
async fn exit_in_the_handshake_reports_stderr() {
    let report = ExitReport::exited(1).with_stderr_tail("error: unknown option '--nope'\n");
    let (error, took) = exits_in_the_handshake(&[], report).await;
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert!(error.to_string().contains("unknown option '--nope'"), "{error}");
    // The same if it exits with 0: there is no session.
    let (error, _) = exits_in_the_handshake(&[], ExitReport::exited(0)).await;
    assert!(matches!(error, Error::Ended(_)), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn clean_end_is_no_error() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let turn = peer.start_turn(&mut session, "hi").await;
    peer.say(result("hello")).await;
    peer.say(json!({"type": "transcript_mirror", "filePath": "/m", "entries": []})).await;
    peer.exit(ExitReport::exited(0));
    turn.finish().await.unwrap().unwrap();
    assert_eq!(next_kind(&mut session).await, "transcript_mirror");
    assert!(session.next().await.is_none());
    assert!(session.next().await.is_none());
    session.close().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn transport_fault_ends_the_session() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    peer.receive_prompt(&session, "hi").await;
    peer.say(assistant("one")).await;
    let source = std::io::Error::other("the cable broke");
    peer.raw.break_output(TransportError::Io { action: "reading", source });
    assert_eq!(next_kind(&mut session).await, "assistant");
    let error = fails(&mut session).await;
    assert!(error.to_string().contains("the cable broke"), "{error}");
}
