//! Lines: their order, their size, and what is queued.

use std::time::Duration;

use agentwire_protocol::message::UserInput;

use super::{check, ok};
use crate::script::{Script, cancel, inbound, success};

#[test]
fn over_long_lines_leave_no_call_waiting() {
    let mut script = Script::default();
    script.call();
    script.router.send_user(&UserInput::new("x")).unwrap();
    script.sent();
    script.too_long(r#"{"type":"control_response","response":{"request_id":"req_1","#);
    script.too_long(r#"{"type":"control_request","request_id":"a","#);
    script.too_long(r#"{"type":"control_response","response":{"#);
    script.too_long(r#"{"type":"assistant","#);
    script.too_long(r#"{"type":"result","#);
    let events = [
        "failed req_1 TooLong",
        "too long response",
        "too long request",
        "too long response",
        "too long other",
        "too long result",
        "turn ended Unreadable",
        "run over",
    ];
    check(&mut script, &events);
    let sent = script.sent();
    assert!(sent[0].contains(r#""subtype":"error","request_id":"a""#) && sent.len() == 1, "{sent:?}");
    check(script.end(), &["closed the session ended"]);
}

#[test]
fn messages_keep_the_order_of_their_lines_and_control_frames_are_not_shown() {
    let mut script = Script::default();
    script.call();
    script
        .line(r#"{"type":"n1"}"#)
        .line("noise")
        .line(&success("req_1", "{}"))
        .line(r#"{"type":"assistant"}"#);
    script.line(&cancel("a")).line(&inbound("a")).line(r#"{"type":"n2"}"#);
    let events = [
        r#"message {"type":"n1"}"#,
        "noise noise",
        "answered req_1 {}",
        r#"undecodable {"type":"assistant"}"#,
        "inbound a new_thing",
        r#"message {"type":"n2"}"#,
    ];
    check(&mut script, &events);
}

#[test]
fn a_request_that_cant_be_written_fails_and_leaves_nothing() {
    #[derive(serde::Serialize)]
    struct Odd(#[serde(serialize_with = "odd")] ());
    fn odd<S: serde::Serializer>((): &(), _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("odd"))
    }
    #[derive(serde::Serialize)]
    struct Call {
        odd: Odd,
    }
    impl agentwire_protocol::control::ControlCall for Call {
        const SUBTYPE: &'static str = "odd";
        type Reply = agentwire_protocol::control::Ack;
    }
    let mut script = Script::default();
    script.router.call(script.now, Duration::from_secs(1), &Call { odd: Odd(()) });
    check(&mut script, &["failed req_1 Encode"]);
    assert_eq!((script.sent().len(), script.router.open()), (0, (0, 0)));
}

#[test]
fn queued_and_inbound_bytes_are_counted() {
    let mut script = Script::default();
    assert_eq!((script.router.transmit_bytes(), script.router.inbound_bytes()), (0, 0));
    script.line(&inbound("a")).line(&inbound("b")).line(&cancel("b"));
    let open = script.router.inbound_bytes();
    assert!(open > inbound("a").len());
    script.router.answer(&"a".into(), ok()).unwrap();
    let answer = success("a", "{}").len() + 1;
    let held = script.router.answer_bytes();
    assert!(held > answer);
    assert_eq!((script.router.transmit_bytes(), script.router.inbound_bytes()), (answer, held));
    script.call();
    assert!(script.router.transmit_bytes() > answer);
    assert_eq!((script.router.inbound_bytes(), script.router.answer_bytes()), (held, held));
    script.sent();
    assert_eq!((script.router.transmit_bytes(), script.router.inbound_bytes()), (0, 0));
}
