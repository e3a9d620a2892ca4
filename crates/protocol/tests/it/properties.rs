//! Properties: nothing panics, unknown data is kept, and field order does not matter.

use agentwire_protocol::{
    Message,
    decode::{decode, decode_bytes},
    tagged::Tagged,
};
use proptest::prelude::*;

use crate::{tagged::read, tree::Tree};

proptest! {
    #![proptest_config(ProptestConfig { cases: 2 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn object_of_an_unknown_kind_decodes(text in object()) {
        match decode::<Message>(&text) {
            Ok(Message::Unknown(unknown)) => {
                prop_assert_eq!(Tree::of(unknown.raw.as_str()), Tree::of(&text));
                let written = serde_json::to_string(&Message::Unknown(unknown)).unwrap();
                prop_assert_eq!(Tree::of(&written), Tree::of(&text));
            }
            Ok(known) => {
                let written = serde_json::to_string(&known).unwrap();
                prop_assert_eq!(decode::<Message>(&written).unwrap(), known);
            }
            Err(error) => {
                let Tree::Object(fields) = Tree::of(&text) else { unreachable!() };
                let mut kinds = fields.iter().filter(|(name, _)| name == "type").map(|(_, kind)| kind);
                let known = kinds.any(|kind| matches!(kind, Tree::Text(kind) if Message::KINDS.contains(&&**kind)));
                prop_assert!(known, "{error}: {text}");
                prop_assert!(error.offset() <= text.len());
            }
        }
    }

    #[test]
    fn field_order_does_not_matter(line in any_line(), seed in any::<u64>()) {
        let shuffled = shuffle(&Tree::of(line), &mut seed.clone());
        prop_assert_eq!(read::<Message>(&shuffled), read::<Message>(line), "{}", shuffled);
    }

    #[test]
    fn field_order_does_not_move_a_fault(
        (line, path, behind) in prop::sample::select(FAULTY),
        seed in any::<u64>(),
    ) {
        let shuffled = shuffle(&Tree::of(line), &mut seed.clone());
        let error = decode::<Message>(&shuffled).unwrap_err();
        prop_assert_eq!(error.path(), path, "{}", shuffled);
        prop_assert!(shuffled[..error.offset()].ends_with(behind), "at {} of {}", error.offset(), shuffled);
        prop_assert_eq!(error.reason(), decode::<Message>(line).unwrap_err().reason().to_owned());
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_positions(&bytes);
    }

    #[test]
    fn arbitrary_tokens_never_panic(parts in prop::collection::vec(prop::sample::select(TOKENS), 0..40)) {
        check_positions(parts.concat().as_bytes());
    }

    #[test]
    fn cut_and_changed_lines_never_panic(
        line in any_line(),
        cut in any::<prop::sample::Index>(),
        change in any::<prop::sample::Index>(),
        byte in prop::sample::select(&b"\"\\{}[]:,0\xc3\xff\n u"[..]),
    ) {
        let mut bytes = line.as_bytes().to_vec();
        let at = change.index(bytes.len());
        bytes[at] = byte;
        check_positions(&bytes);
        bytes.truncate(cut.index(bytes.len()));
        check_positions(&bytes);
    }
}

/// Decodes, and checks that a failure points into the bytes.
fn check_positions(bytes: &[u8]) {
    if let Err(error) = decode_bytes::<Message>(bytes) {
        assert!(error.offset() <= bytes.len() && error.line() >= 1, "{error:?}");
        let before = &bytes[..error.offset()];
        assert_eq!(error.line(), before.iter().filter(|&&byte| byte == b'\n').count() + 1);
        assert_eq!(error.column(), before.iter().rev().take_while(|&&byte| byte != b'\n').count());
        assert!(error.to_string().len() < 1000);
    }
}

fn any_line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(LINES)
}

/// The text of any object: often with a tag, which is often known, and sometimes with two tags.
fn object() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        prop::sample::select(
            &["null", "true", "0", "-1", "1.10", "12345678901234567890123", "1e400", "{}", "[]"][..]
        )
        .prop_map(str::to_owned),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        any::<f64>().prop_map(|number| serde_json::to_string(&number).unwrap()),
        Just(r#""\ud83d""#.to_owned()),
    ];
    let value = scalar.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((name(), inner), 0..4).prop_map(|fields| join(&fields)),
        ]
    });
    let kind = prop_oneof![
        prop::sample::select(Message::KINDS).prop_map(|kind| format!("\"{kind}\"")),
        value.clone(),
    ];
    let tag = prop::collection::vec((Just("\"type\"".to_owned()), kind), 0..2);
    (prop::collection::vec((name(), value), 0..6), tag, any::<prop::sample::Index>()).prop_map(
        |(mut fields, tag, at)| {
            let at = at.index(fields.len() + 1);
            fields.splice(at..at, tag);
            join(&fields)
        },
    )
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(&["type", "subtype", "message", "event", "request_id", "a", "__proto__"][..])
            .prop_map(str::to_owned),
        any::<String>(),
    ]
    .prop_map(|name| serde_json::to_string(&name).unwrap())
}

fn join(fields: &[(String, String)]) -> String {
    let fields: Vec<_> = fields.iter().map(|(name, value)| format!("{name}:{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

/// Returns the text of `tree` with the fields of each object in another order, except in raw parts.
pub(crate) fn shuffle(tree: &Tree, seed: &mut u64) -> String {
    match tree {
        Tree::Text(text) => serde_json::to_string(text).unwrap(),
        Tree::Word(word) => word.clone(),
        Tree::List(items) => {
            let items: Vec<_> = items.iter().map(|item| shuffle(item, seed)).collect();
            format!("[{}]", items.join(","))
        }
        Tree::Object(fields) => {
            let raw = ["input", "event", "tool_use_result"];
            let mut written: Vec<_> = fields
                .iter()
                .map(|(name, value)| {
                    let mut fixed = 0;
                    let seed = if raw.contains(&name.as_str()) { &mut fixed } else { &mut *seed };
                    (serde_json::to_string(name).unwrap(), shuffle(value, seed))
                })
                .collect();
            for at in (1..written.len()).rev() {
                if *seed != 0 {
                    *seed =
                        seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    written.swap(at, (*seed >> 33) as usize % (at + 1));
                }
            }
            join(&written)
        }
    }
}

/// Lines of known kinds; their raw parts hold no spacing.
const LINES: &[&str] = &[
    r#"{"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"text","text":"é \" \\ b"},{"type":"tool_use","id":"t","name":"Bash","input":{"b":1.10,"a":[]}},{"type":"later"}],"usage":{"input_tokens":1,"output_tokens":2}},"parent_tool_use_id":null,"session_id":"s"}"#,
    r#"{"duration_api_ms":68,"stop_reason":"end_turn","total_cost_usd":0.00056,"modelUsage":{"m":{"inputTokens":40,"costUSD":0.1}},"permission_denials":[{"tool_name":"Bash","tool_use_id":"t","tool_input":{}}],"is_error":false,"subtype":"success","api_error_status":null,"result":"ok","type":"result"}"#,
    r#"{"type":"system","subtype":"init","cwd":"w","session_id":"s","tools":["Bash"],"mcp_servers":[{"name":"a","status":"connected"}],"model":"m","permissionMode":"default"}"#,
    r#"{"type":"system","subtype":"session_state_changed","state":"running","sdk_host_only":true}"#,
    r#"{"type":"stream_event","event":{"index":0,"type":"content_block_stop"},"session_id":"s","ttft_ms":5}"#,
    r#"{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"x","is_error":true}]},"isSynthetic":true}"#,
    r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t","permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"session"}]}}"#,
    r#"{"type":"control_response","response":{"subtype":"error","request_id":"r","error":"no"}}"#,
];

/// Lines with one fault each, the path to the fault, and the text before it.
const FAULTY: &[(&str, &str, &str)] = &[
    (
        r#"{"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":77}]},"uuid":"u"}"#,
        "message.content[1].thinking",
        "77",
    ),
    (
        r#"{"type":"result","subtype":"success","is_error":"oops","num_turns":1,"usage":{"input_tokens":1}}"#,
        "is_error",
        "\"oops\"",
    ),
    (
        r#"{"type":"system","subtype":"init","cwd":77,"session_id":"s","model":"m","tools":["a"]}"#,
        "cwd",
        "77",
    ),
    (
        r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"t","permission_suggestions":[{"type":"addRules","rules":[],"behavior":"allow","destination":77}]}}"#,
        "request.permission_suggestions[0].destination",
        "77",
    ),
    (r#"{"type":"control_cancel_request","later":true,"uuid":"u"}"#, "", "}"),
];

/// Pieces of JSON, whole and broken.
const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    " ",
    "\n",
    "\"",
    "\\",
    "\"type\"",
    "\"subtype\"",
    "\"system\"",
    "\"user\"",
    "\"message\"",
    "\"behavior\":",
    "\"result\"",
    "\\ud83d",
    "\"\\ud83d\"",
    "1",
    "1e400",
    "true",
    "nul",
    "é",
    "{\"type\":\"assistant\",\"message\":",
    "{\"content\":[",
];
