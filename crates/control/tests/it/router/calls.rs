//! Calls of the host: replies, time limits, cancellations.

use std::time::Duration;

use agentwire_control::{ControlError, RouterEvent};
use agentwire_protocol::{RawJson, control::ErrorCode};

use super::check;
use crate::script::{Script, cancel, success};

#[test]
fn a_call_is_written_and_answered_by_its_own_reply() {
    let mut script = Script::default();
    let (one, two) = (script.call(), script.call());
    assert_ne!(one, two);
    let sent = script.sent();
    assert_eq!(sent[0], r#"{"type":"control_request","request_id":"req_1","request":{"subtype":"ask"}}"#);
    script.line(&success(two.as_str(), r#"{"n":1.10}"#)).line(&success(one.as_str(), "null"));
    check(&mut script, &[r#"answered req_2 {"n":1.10}"#, "answered req_1 {}"]);
    assert_eq!(script.router.open(), (0, 0));
}

#[test]
fn unmatched_replies_are_only_counted() {
    let mut script = Script::default();
    let id = script.call();
    script.line(&success(id.as_str(), "{}")).line(&success(id.as_str(), r#"{"again":1}"#));
    script.line(&success("req_99", "{}")).line(r#"{"type":"control_response"}"#);
    check(&mut script, &["answered req_1 {}"]);
    assert_eq!(script.router.ignored().responses, 3);
    let late = script.call();
    script.wait(11).line(&success(late.as_str(), "{}"));
    check(&mut script, &["failed req_2 TimedOut"]);
    assert_eq!(script.router.ignored().responses, 4);
}

#[test]
fn error_replies_and_odd_replies_fail_the_call() {
    let replies = [
        (r#"{"subtype":"error","request_id":"ID","error":"no"}"#, "Rejected"),
        (r#"{"subtype":"error","request_id":"ID"}"#, "Rejected"),
        (r#"{"subtype":"maybe","request_id":"ID"}"#, "UnknownReply"),
        (r#"{"request_id":"ID"}"#, "UnknownReply"),
        (r#"{"subtype":"error","request_id":"ID","error":7}"#, "BadReply"),
        (r#"{"subtype":"success","request_id":"ID","response":"#, "BadReply"),
    ];
    for (reply, error) in replies {
        let mut script = Script::default();
        let id = script.call();
        let reply = reply.replace("ID", id.as_str());
        script.line(&format!(r#"{{"type":"control_response","response":{reply}}}"#));
        check(&mut script, &[&format!("failed {id} {error}")]);
    }
    let mut script = Script::default();
    script.call();
    script.line(r#"{"type":"control_response","request_id":"req_1"}"#);
    check(&mut script, &["failed req_1 BadReply"]);
}

#[test]
fn the_clis_own_text_and_code_are_kept() {
    let mut script = Script::default();
    let id = script.call();
    let reply = r#"{"type":"control_response","response":{"subtype":"error","request_id":"req_1","error":"Unsupported","error_code":"unsupported_request"}}"#;
    script.line(reply);
    let Some(RouterEvent::Answered {
        id: answered,
        reply: Err(ControlError::Rejected { subtype, message, code, .. }),
    }) = script.router.poll_event()
    else {
        panic!("no answer")
    };
    assert_eq!(
        (answered, &*subtype, &*message, code),
        (id, "ask", "Unsupported", Some(ErrorCode::UnsupportedRequest))
    );
}

#[test]
fn each_call_times_out_on_its_own_and_is_cancelled() {
    let mut script = Script::default();
    assert_eq!(script.router.poll_timeout(), None);
    script.call();
    script.wait(5).call();
    script.sent();
    assert_eq!(script.router.poll_timeout(), Some(Duration::from_secs(10)));
    check(script.wait(4), &[]);
    check(script.wait(1), &["failed req_1 TimedOut"]);
    assert_eq!(script.sent(), [cancel("req_1")]);
    assert_eq!(script.router.poll_timeout(), Some(Duration::from_secs(15)));
    check(script.wait(100), &["failed req_2 TimedOut"]);
    assert_eq!(script.router.poll_timeout(), None);
}

#[test]
fn time_limit_of_any_length_is_accepted() {
    let mut script = Script::default();
    let request = RawJson::parse(r#"{"subtype":"ask"}"#).unwrap();
    script.wait(1);
    script.router.call_raw(script.now, Duration::MAX, "ask", &request);
    assert_eq!(script.router.poll_timeout(), Some(Duration::MAX));
    script.router.call_raw(script.now, Duration::ZERO, "ask", &request);
    check(script.wait(0), &["failed req_2 TimedOut"]);
}

#[test]
fn cancelled_call_ends_and_the_cli_gets_a_cancellation() {
    let mut script = Script::default();
    let id = script.call();
    script.sent();
    script.router.cancel(&id);
    script.router.cancel(&id);
    script.line(&success("req_1", "{}"));
    check(&mut script, &["failed req_1 Cancelled"]);
    assert_eq!(script.sent(), [cancel("req_1")]);
}

#[test]
fn truncated_reply_leaves_its_call_to_the_end_of_the_session() {
    let half = r#"{"type":"control_response","response":{"subtype":"success","request_id":"req_1","respo"#;
    let mut script = Script::default();
    script.call();
    script.last_line(half).exit(9);
    let ended = "closed the session ended (exit code 9)";
    check(&mut script, &[&format!("undecodable {half}"), "failed req_1 Closed", ended]);
    // A complete reply without its newline is one.
    let mut script = Script::default();
    script.call();
    script.last_line(&success("req_1", "{}")).exit(9);
    check(&mut script, &["answered req_1 {}", ended]);
}

#[test]
fn cancelled_call_that_is_still_queued_is_not_written() {
    let mut script = Script::default();
    let id = script.call();
    script.call();
    script.router.cancel(&id);
    assert_eq!(script.sent().len(), 1);
    script.call();
    script.wait(10);
    assert_eq!(script.sent(), [cancel("req_2")]);
    assert_eq!(script.router.transmit_bytes(), 0);
    check(&mut script, &["failed req_1 Cancelled", "failed req_2 TimedOut", "failed req_3 TimedOut"]);
}
