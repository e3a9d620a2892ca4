//! The readers that the replay and the judge share: JSON with positions, ids, and cuts of the output.

use agentwire_testkit::{Splits, ids::Ids, json::Json, recorded::Recorded, splits::Cutter};
use bytes::Bytes;

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

#[test]
fn values_are_equal_with_any_order_of_fields() {
    assert!(
        json(r#"{"a":1,"b":[true,null,"x\n"]}"#).same(&json(r#" { "b" : [true, null, "x\u000a"], "a":1 } "#))
    );
    for (a, b) in [("1", "1.0"), ("[1,2]", "[2,1]"), (r#"{"a":1}"#, r#"{"a":1,"a":1}"#), ("\"1\"", "1")] {
        assert!(!json(a).same(&json(b)), "{a} {b}");
    }
}

#[test]
fn value_has_its_position_in_the_text() {
    let text = r#"{"a":{"b\"":[-1.5e3, "x,]}"]},"c":"\ud800"}"#;
    let read = json(text);
    assert_eq!(read.at(&["a", "b\""]).unwrap().raw(text.as_bytes()), br#"[-1.5e3, "x,]}"]"#);
    assert_eq!(read.at(&["a", "b\""]).unwrap().list()[0].number(), Some("-1.5e3"));
    assert_eq!(read.text_at(&["c"]), Some(r"\ud800"));
    assert!(Json::parse(b"{\"a\":").is_none());
    assert!(Json::parse(b"\xff").is_none());
    assert!(Json::object(b"[]").is_none());
}

fn translated(ids: &Ids, line: &str) -> String {
    let line = Bytes::copy_from_slice(line.as_bytes());
    let translated = ids.translate(&line, &Recorded::read(&line).unwrap());
    String::from_utf8(translated.to_vec()).unwrap()
}

#[test]
fn only_ids_in_their_places_are_translated() {
    let mut ids = Ids::default();
    ids.bind_request("1", "req_1");
    ids.bind_uuid("u", "v\"");
    ids.bind_callback("c", "hook_0");
    for (line, expected) in [
        (
            r#"{"type":"control_response", "response":{"subtype":"success","request_id": "1","response":{"a":"1"}}}"#,
            r#"{"type":"control_response", "response":{"subtype":"success","request_id": "req_1","response":{"a":"1"}}}"#,
        ),
        (
            r#"{"type":"control_request","request_id":"1","request":{"subtype":"hook_callback","callback_id":"c"}}"#,
            r#"{"type":"control_request","request_id":"1","request":{"subtype":"hook_callback","callback_id":"hook_0"}}"#,
        ),
        (
            r#"{"type":"control_cancel_request","request_id":"1"}"#,
            r#"{"type":"control_cancel_request","request_id":"1"}"#,
        ),
        (
            r#"{"type":"result","ids":["u",1.0],"request_id":"1"}"#,
            r#"{"type":"result","ids":["v\"",1.0],"request_id":"1"}"#,
        ),
    ] {
        assert_eq!(translated(&ids, line), expected);
    }
}

#[test]
fn every_cut_gives_all_bytes() {
    let text = b"one\ntwo\n\nthree";
    for splits in Splits::SAMPLES {
        let mut cutter = Cutter::new(splits);
        let (mut rest, mut read) = (&text[..], Vec::new());
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(cutter.next(rest));
            assert!(!piece.is_empty());
            read.extend_from_slice(piece);
            rest = behind;
        }
        assert_eq!(read, text, "{splits}");
    }
    assert_eq!(Cutter::new(Splits::Lines).next(text), 4);
}
