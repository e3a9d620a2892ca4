//! Kind and ids of lines with any order of keys, any spacing and any end.

use agentwire_codec::FrameKind;
use proptest::prelude::*;

fn check(line: &str, kind: &FrameKind) {
    assert_eq!(FrameKind::of(line.as_bytes()), *kind, "{line}");
}

fn request(id: &str) -> FrameKind {
    FrameKind::Request(Some(id.into()))
}

fn response(id: &str) -> FrameKind {
    FrameKind::Response(Some(id.into()))
}

#[test]
fn every_kind_is_found() {
    check(r#"{"type":"control_request","request_id":"a","request":{}}"#, &request("a"));
    check(r#"{"type":"control_response","response":{"subtype":"success","request_id":"a"}}"#, &response("a"));
    check(r#"{"type":"control_cancel_request","request_id":"a"}"#, &FrameKind::Cancel(Some("a".into())));
    check(r#"{"type":"result"}"#, &FrameKind::Result);
    check(r#"{"type":"stream_event"}"#, &FrameKind::StreamEvent);
    check(r#"{"type":"user"}"#, &FrameKind::User);
    check(r#"{"type":"transcript_mirror","filePath":"","entries":[]}"#, &FrameKind::TranscriptMirror);
    check(r#"{"type":"transcript_mirrors"}"#, &FrameKind::Other);
    check(r#"{"type":"assistant"}"#, &FrameKind::Other);
    check(r#"{"no":"type"}"#, &FrameKind::Other);
    check("{}", &FrameKind::Other);
    for noise in ["", " ", "text", "[{\"type\":\"result\"}]", "\"type\"", "null", "1", "\0{}"] {
        check(noise, &FrameKind::NonJson);
    }
}

#[test]
fn missing_and_invalid_ids_are_none() {
    check(r#"{"type":"control_request","request":{"request_id":"inner"}}"#, &FrameKind::Request(None));
    check(r#"{"type":"control_request","request_id":7}"#, &FrameKind::Request(None));
    check(r#"{"type":"control_request","request_id":null}"#, &FrameKind::Request(None));
    check(r#"{"type":"control_response"}"#, &FrameKind::Response(None));
    check(r#"{"type":"control_response","response":[]}"#, &FrameKind::Response(None));
    check(r#"{"type":"control_response","response":{},"request_id":"beside"}"#, &response("beside"));
    check(r#"{"type":"control_response","request_id":"alone"}"#, &response("alone"));
    check(r#"{"type":7,"request_id":"a"}"#, &FrameKind::Other);
}

#[test]
fn first_known_type_wins() {
    check(r#"{"type":null,"type":"result"}"#, &FrameKind::Result);
    check(r#"{"type":"later","type":"control_request","request_id":"a"}"#, &request("a"));
    check(r#"{"type":"result","type":"later"}"#, &FrameKind::Result);
    check(r#"{"type":"assistant","type":"result"}"#, &FrameKind::Other);
}

#[test]
fn strings_that_look_like_keys_are_not_keys() {
    check(r#"{"text":"\"type\":\"result\"","type":"user"}"#, &FrameKind::User);
    check(r#"{"x":{"type":"result"},"type":"user"}"#, &FrameKind::User);
    check(r#"{"x":"}","y":["{","]"],"type":"result"}"#, &FrameKind::Result);
    check(r#"{"x":"\\","type":"result"}"#, &FrameKind::Result);
}

#[test]
fn escapes_spacing_and_a_byte_order_mark_are_accepted() {
    check(r#"{"\u0074ype":"resul\u0074"}"#, &FrameKind::Result);
    check(r#"{ "filePath":"", "type" : "transcript\u005fmirror"}"#, &FrameKind::TranscriptMirror);
    check(r#"{"type":"control_request","request\u005fid":"\u0061\n"}"#, &request("a\n"));
    check(" \t{ \"x\" : 1 ,\r \"type\" : \"result\" } ", &FrameKind::Result);
    check("\u{feff}{\"type\":\"result\"}", &FrameKind::Result);
    check(r#"{"\ud83d":1,"type":"result"}"#, &FrameKind::Result);
}

#[test]
fn invalid_utf8_does_not_hide_the_kind() {
    assert_eq!(FrameKind::of(b"{\"x\":\"\xff\",\"type\":\"result\"}"), FrameKind::Result);
    assert_eq!(
        FrameKind::of(b"{\"\xff\":1,\"type\":\"control_request\",\"request_id\":\"a\"}"),
        request("a")
    );
    assert_eq!(
        FrameKind::of(b"{\"type\":\"control_request\",\"request_id\":\"\xff\"}"),
        FrameKind::Request(None)
    );
}

#[test]
fn truncated_line_has_the_kind_of_its_start() {
    let line = r#"{"type":"control_request","request_id":"abc","request":{"subtype":"x"}}"#;
    let known = line.find(r#""abc""#).unwrap() + 5;
    for end in 0..line.len() {
        let kind = FrameKind::of(&line.as_bytes()[..end]);
        match end {
            0 => assert_eq!(kind, FrameKind::NonJson),
            1..25 => assert_eq!(kind, FrameKind::Other, "{end}"),
            _ if end < known => assert_eq!(kind, FrameKind::Request(None), "{end}"),
            _ => assert_eq!(kind, request("abc"), "{end}"),
        }
    }
}

#[test]
fn deep_nesting_needs_no_stack() {
    let deep = format!(r#"{{"x":{}{},"type":"result"}}"#, "[".repeat(200_000), "]".repeat(200_000));
    check(&deep, &FrameKind::Result);
    check(&format!(r#"{{"x":{}"#, "[".repeat(200_000)), &FrameKind::Other);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn key_order_does_not_matter(
        mut fields in prop::collection::vec((key(), json()), 0..6),
        at in any::<prop::sample::Index>(),
        then in any::<prop::sample::Index>(),
        id in "[a-z0-9-]{0,12}",
        kind in 0_usize..4,
    ) {
        let quoted = serde_json::to_string(&id).unwrap();
        let inner = format!(r#"{{"response":{{"request_id":"no"}},"request_id":{quoted}}}"#);
        let (kind, field, expected) = match kind {
            0 => ("control_request", ("request_id".to_owned(), quoted), request(&id)),
            1 => ("control_response", ("response".to_owned(), inner), response(&id)),
            2 => ("control_cancel_request", ("request_id".to_owned(), quoted), FrameKind::Cancel(Some(id.as_str().into()))),
            _ => ("result", ("request_id".to_owned(), quoted), FrameKind::Result),
        };
        fields.insert(at.index(fields.len() + 1), field);
        fields.insert(then.index(fields.len() + 1), ("type".to_owned(), format!("\"{kind}\"")));
        let fields: Vec<_> = fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        prop_assert_eq!(FrameKind::of(format!("{{{}}}", fields.join(",")).as_bytes()), expected);
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(line in prop::collection::vec(prop::sample::select(&b"{}[]\":,\\u1 \xfftype"[..]), 0..60)) {
        FrameKind::of(&line);
        FrameKind::of(&[b"{\"type\":\"control_response\",\"response\":", &line[..]].concat());
    }
}

fn key() -> impl Strategy<Value = String> {
    "[a-z]{5,8}"
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        Just("null".to_owned()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|values| format!("[{}]", values.join(" , "))),
            prop::collection::vec((any::<String>(), inner), 0..3).prop_map(|fields| {
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(key, value)| format!("{}:{value}", serde_json::to_string(key).unwrap()))
                    .collect();
                format!("{{{}}}", fields.join(","))
            }),
        ]
    })
}
