//! Lone surrogate escapes, which the CLI may write and a Rust string can't hold.

use agentwire_protocol::{Block, Message, decode::decode, message::User};

#[test]
fn lone_surrogates_in_a_string_become_replacement_characters() {
    for (escape, text) in [
        (r"\ud83d", "\u{fffd}"),
        (r"\uDE00", "\u{fffd}"),
        (r"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}"),
        (r"\\ud83d", "\\ud83d"),
        (r"\ud83d\ude00", "\u{1f600}"),
    ] {
        for line in [
            format!(r#"{{"type":"user","message":{{"role":"user","content":"a{escape}b"}}}}"#),
            format!(r#"{{"message":{{"content":"a{escape}b","role":"user"}},"type":"user"}}"#),
        ] {
            let Message::User(user) = Message::from_line(&line).unwrap() else { panic!("{line}") };
            assert_eq!(user.message.content, format!("a{text}b").into(), "{line}");
        }
    }
}

#[test]
fn lone_surrogates_in_raw_parts_are_kept() {
    let line = r#"{"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"a":"\ud83d"}}]}}"#;
    let Message::Assistant(assistant) = Message::from_line(line).unwrap() else { panic!() };
    let Block::ToolUse(tool_use) = &assistant.message.content[0] else { panic!() };
    assert_eq!(tool_use.input.as_str(), r#"{"a":"\ud83d"}"#);
    assert_eq!(tool_use.input.decode::<Input>().unwrap().a, "\u{fffd}");
}

#[test]
fn lone_surrogate_in_a_string_replaces_those_in_raw_parts() {
    let line =
        r#"{"type":"user","message":{"role":"user","content":"\ud83d"},"tool_use_result":{"a":"\ud83d"}}"#;
    let Message::User(user) = Message::from_line(line).unwrap() else { panic!() };
    let User { tool_use_result: Some(result), .. } = *user else { panic!() };
    assert_eq!(result.as_str(), r#"{"a":"\ufffd"}"#);
}

#[test]
fn unknown_kind_keeps_lone_surrogates() {
    let line = r#"{"type":"later","a":"\ud83d"}"#;
    let Message::Unknown(unknown) = Message::from_line(line).unwrap() else { panic!() };
    assert_eq!(unknown.raw.as_str(), line);
    assert_eq!(unknown.field::<String>("a").unwrap().as_deref(), Some("\u{fffd}"));
}

#[test]
fn second_fault_is_reported_at_its_position() {
    let line = r#"{"type":"user","message":{"role":"user","content":"\ud83d"},"isReplay":"x"}"#;
    let error = decode::<Message>(line).unwrap_err();
    assert_eq!(error.path(), "isReplay");
    assert!(line[..error.offset()].ends_with(r#""x""#), "{error}");
    assert!(decode::<Message>(r#"{"type":"user","message":"\ud83""#).is_err());
}

#[derive(serde::Deserialize)]
struct Input {
    a: String,
}
