//! Decoding: every line becomes a variant, and its bytes are preserved.

use agentwire_codec::{Frame, Incoming, Limits, Line, LineDecoder};
use agentwire_protocol::Message;
use bytes::Bytes;

fn incoming(line: &[u8]) -> Incoming {
    let incoming = Incoming::decode(Frame::new(Line::new(line.to_vec())));
    assert_eq!(incoming.line().unwrap().as_bytes(), line);
    incoming
}

#[test]
fn known_and_unknown_kinds_are_messages() {
    let known = incoming(br#"{"type":"keep_alive"}"#);
    assert!(matches!(known, Incoming::Message(Message::KeepAlive(_), _)), "{known:?}");
    for unknown in [&br#"{"type":"new_kind","x":1.10}"#[..], b"{}", br#"{"type":7}"#] {
        let unknown = incoming(unknown);
        assert!(matches!(unknown.message(), Some(Message::Unknown(_))), "{unknown:?}");
        assert!(matches!(unknown.into_message(), Some(Message::Unknown(_))));
    }
}

#[test]
fn line_that_is_no_object_is_non_json() {
    for noise in [&b"warning: x"[..], b"[]", b"null", b"12", b"\"a\"", b"\xff\xfe", b"\0"] {
        let noise = incoming(noise);
        assert!(matches!(noise, Incoming::NonJson(_)), "{noise:?}");
        assert!(noise.message().is_none());
    }
}

#[test]
fn broken_objects_and_broken_bodies_are_undecodable() {
    let deep = format!(r#"{{"type":"result","x":{}{}}}"#, "[".repeat(5000), "]".repeat(5000));
    let lines = [
        &br#"{"type":"assistant"}"#[..],
        br#"{"type":"result","is_error":false}"#,
        br#"{"type":"keep_alive""#,
        b"{oops}",
        b"{\"type\":\"keep_alive\",\"x\":\"\xff\"}",
        br#"{"type":"keep_alive"} trailing"#,
        br#"{"type":"control_request","request":{"subtype":"x"}}"#,
    ];
    for broken in lines {
        let broken = incoming(broken);
        assert!(matches!(broken, Incoming::Undecodable(..)), "{broken:?}");
        assert!(broken.into_message().is_none());
    }
    // The parser may accept or reject it, but must not overflow the stack.
    incoming(deep.as_bytes());
}

#[test]
fn lone_surrogate_is_replaced_in_the_message_and_kept_in_the_line() {
    let line = br#"{"type":"result","subtype":"success","is_error":false,"result":"a\ud83d"}"#;
    let incoming = incoming(line);
    let Some(Message::Result(result)) = incoming.message() else { panic!("{incoming:?}") };
    assert_eq!(result.result.as_deref(), Some("a\u{fffd}"));
}

#[test]
fn byte_order_mark_and_carriage_return_are_accepted() {
    let incoming = incoming(b"\xEF\xBB\xBF{\"type\":\"keep_alive\"}\r");
    assert!(matches!(incoming, Incoming::Message(Message::KeepAlive(_), _)), "{incoming:?}");
}

#[test]
fn undecodable_result_ends_its_turn() {
    for line in [
        &br#"{"type":"result","subtype":"success","is_error":false,"duration_ms":[]}"#[..],
        br#"{"subtype":7,"type":"result"}"#,
        br#"{"type":"result","cut"#,
    ] {
        assert!(incoming(line).ends_turn());
    }
    for line in [&br#"{"type":"keep_alive"}"#[..], br#"{"type":"assistant"}"#, b"result"] {
        assert!(!incoming(line).ends_turn());
    }
}

#[test]
fn fields_set_aside_are_listed() {
    let odd = incoming(
        b"\xEF\xBB\xBF{\"type\":\"user\",\"message\":{\"content\":\"a\",\"role\":[]},\"isReplay\":7}",
    );
    assert!(matches!(odd, Incoming::Message(Message::User(_), _)), "{odd:?}");
    let paths: Vec<_> = odd.set_aside().iter().map(|error| error.path().to_owned()).collect();
    assert_eq!(paths, ["message.role", "isReplay"]);
    assert!(incoming(b"{}").set_aside().is_empty() && incoming(b"noise").set_aside().is_empty());
}

#[test]
fn debug_shows_no_line_beside_its_message() {
    let line =
        br#"{"type":"auth_status","isAuthenticating":true,"output":["c0de"],"uuid":"u","session_id":"s"}"#;
    let shown = format!("{:?}", incoming(line));
    assert!(shown.starts_with("Message(AuthStatus") && !shown.contains("c0de"), "{shown}");
    let frame = Frame::new(Line::new(&line[..]));
    assert_eq!(format!("{frame:?}"), "Frame { kind: Other, is_truncated: false, .. }");
    let mut decoder = LineDecoder::new(Limits::max_line(100));
    decoder.push(Bytes::copy_from_slice(&line[..80]));
    assert_eq!(decoder.next(), None);
    let expected = "LineDecoder { limits: Limits { max_line: 100 }, lines: 0, .. }";
    assert_eq!(format!("{decoder:?}"), expected);
}
