//! Calls in the bare JSON form.

use std::time::Duration;

use agentwire_hub_names::llm::{CallForm, Why};
use proptest::prelude::*;

use super::{found, grows_steadily, texts};
use crate::cpu;

fn json(text: &str) -> Vec<Result<String, Why>> {
    found(text, CallForm::Json)
}

const PLAIN: &str = r#"{"tool": "t", "arguments": {"a": 1}}"#;
const CALL: &str = "/t {\"a\":1}";

#[test]
fn calls_are_found() {
    for (text, calls) in [
        (PLAIN.to_owned(), vec![CALL]),
        (format!("I will look.\n\n  {PLAIN}  \nThen I wait."), vec![CALL]),
        (format!("{PLAIN}\n{PLAIN}\r\n{PLAIN}{PLAIN}"), vec![CALL; 4]),
        (PLAIN.replace(", ", ",\n").replace('{', "{\n"), vec![CALL]),
        (r#"{"arguments": {}, "tool": "t"}"#.to_owned(), vec!["/t {}"]),
        (r#"{"server": "s", "tool": "t", "arguments": {}}"#.to_owned(), vec!["s/t {}"]),
        (r#"{"\u0074ool": "t", "arguments": {}}"#.to_owned(), vec!["/t {}"]),
        (
            r#"{"tool": "t", "arguments": {"a": "}\n{\"tool\": 1}", "b": [{"arguments": {}, "tool": "x"}]}}"#
                .to_owned(),
            vec![r#"/t {"a":"}\n{\"tool\": 1}","b":[{"arguments":{},"tool":"x"}]}"#],
        ),
        (format!("```\ncode\n```\n{PLAIN}"), vec![CALL]),
        (format!("{{\"some\": \"data\"}}\n{PLAIN}\n[1, 2]\n{PLAIN}\n[note]: {{}}\n{PLAIN}"), vec![CALL; 3]),
        (format!("{{ not JSON }}\n{PLAIN}"), vec![CALL]),
        (format!("[it's a \"note]\" [1]] and text\n{PLAIN}"), vec![CALL]),
        (format!("[`git_log`](https://e.org) shows it.\n{PLAIN}"), vec![CALL]),
        (format!("[#123](https://e.org/123)\n{PLAIN}\n[the 'main' branch](b)\n{PLAIN}"), vec![CALL; 2]),
    ] {
        let calls: Vec<_> = calls.into_iter().map(|call| Ok(call.to_owned())).collect();
        assert_eq!(json(&text), calls, "{text}");
        grows_steadily(&text, CallForm::Json);
    }
}

#[test]
fn other_text_is_not_a_call() {
    for text in [
        "".to_owned(),
        "Just text with {braces} and [brackets].\n{\n[".to_owned(),
        format!("So: {PLAIN}"),
        format!("> {PLAIN}"),
        format!("- {PLAIN}"),
        format!("`{PLAIN}`"),
        r#"{"tool": "hammer", "price": 3}"#.to_owned(),
        r#"{"tool": 3, "arguments": {}}"#.to_owned(),
        r#"{"arguments": {}}"#.to_owned(),
        format!("{{\"plan\": [\n{PLAIN}\n]}}"),
        format!("[\n1,\n{PLAIN}\n]"),
        format!("[\"a](b\",\n{PLAIN}\n]"),
        format!("[\n{PLAIN},\n"),
        format!("{{\"a\": [\n{PLAIN}\n], oops}}"),
        format!("[\n // the plan\n {PLAIN}\n]"),
        format!("[\n // the plan [1]]\n{PLAIN}\n]"),
        format!("[ /* ] */\n{PLAIN}\n]"),
        format!("[ # ]\n{PLAIN}\n]"),
        format!("{{ // the plan\n\"steps\": [\n{PLAIN}\n]}}"),
        format!("{{\"steps\": [ // the plan\n{PLAIN}\n]}}"),
        format!("[\n1\n{PLAIN}\n]"),
        format!("[{{}}\n{PLAIN}\n]"),
        format!("{{\"a\": 1\n\"b\":\n{PLAIN}\n}}"),
        format!("[\n'a]',\n{PLAIN}\n]"),
        format!("[\n\"a\n]\n{PLAIN}\n\"]"),
        format!("[1, 2\n{PLAIN}"),
        format!("{{ not JSON\n{PLAIN}"),
        format!("1. ```json\nSo:\n{PLAIN}\n```"),
        format!("```\nThis is how:\n{PLAIN}\n```"),
        format!("```\nThis is how:\n{PLAIN}\n"),
        PLAIN.replace('{', "("),
    ] {
        assert_eq!(json(&text), [], "{text}");
        grows_steadily(&text, CallForm::Json);
    }
}

#[test]
fn failed_attempts_are_reported() {
    for (text, why) in [
        (format!("```json\n{PLAIN}\n```"), Why::Fenced),
        (format!("{PLAIN} calls it."), Why::NotAlone),
        (format!("[\n{PLAIN},\n{PLAIN}\n]"), Why::Listed),
        (r#"{"tool": "t"}"#.to_owned(), Why::Missing("arguments")),
        (r#"{"tool": "", "arguments": {}}"#.to_owned(), Why::Missing("tool")),
        (r#"{"tool": "t", "args": {}}"#.to_owned(), Why::Stray("args".into())),
        (
            r#"{"tool": "t", "arguments": {}, "server_name": "s"}"#.to_owned(),
            Why::Stray("server_name".into()),
        ),
        (r#"{"tool": "t", "arguments": "{}"}"#.to_owned(), Why::NotA("arguments", "JSON object")),
        (r#"{"tool": "t", "arguments": {}, "server": 1}"#.to_owned(), Why::NotA("server", "text")),
        (r#"{"tool": "t", "tool": "u", "arguments": {}}"#.to_owned(), Why::Repeated("tool")),
        (r#"{"tool": "t", "arguments": {}"#.to_owned(), Why::Unfinished),
        (r#"{"tool":"#.to_owned(), Why::Unfinished),
    ] {
        assert_eq!(json(&text), [Err(why)], "{text}");
        grows_steadily(&text, CallForm::Json);
    }
    for text in [r#"{"tool": 't', "arguments": {}}"#, "{\"tool\": \"t\", \"arguments\": {\n\"a\": \"x\ny\"}}"]
    {
        assert!(matches!(&json(text)[..], [Err(Why::Json(_))]), "{text}");
    }
}

#[test]
fn nothing_after_a_broken_call_is_read() {
    let text = format!("{PLAIN}\n{{\"tool\": \"t\", \"arguments\": [oops\n{PLAIN}\n]}}");
    assert!(matches!(&json(&text)[..], [Ok(_), Err(Why::Json(_))]));
    let text = format!("{PLAIN} {{oops");
    assert_eq!(json(&text), [Err(Why::NotAlone)]);
}

#[test]
fn many_open_brackets_take_little_time() {
    let began = cpu::time();
    for piece in ["{\"a\":[\n", "[\n", "{\n", "{\"a\":{\n", "{\"tool\":[\n", "```\n", "[{},\n"] {
        for end in ["", "x", "\n}"] {
            let text = piece.repeat(30_000) + end;
            json(&text);
            found(&text, CallForm::Xml);
        }
    }
    let took = cpu::time() - began;
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn many_objects_on_one_line_take_little_time() {
    let began = cpu::time();
    json(&"{}".repeat(300_000));
    let took = cpu::time() - began;
    assert!(took < Duration::from_secs(5), "{took:?}");
}

proptest! {
    #[test]
    fn any_text_is_read_the_same_while_it_grows(
        text in texts(r#"{ } [ ] , : "tool" "arguments" "t" {} ``` é " 1"#, PLAIN),
    ) {
        grows_steadily(&text, CallForm::Json);
    }

    #[test]
    fn any_arguments_come_through(tool in "\\PC{1,10}", key in "\\PC{0,10}", value in "\\PC{0,20}") {
        let arguments = serde_json::json!({ key: value });
        let text = serde_json::json!({"tool": tool, "arguments": arguments}).to_string();
        prop_assert_eq!(json(&format!("Text.\n{text}\nText.")), [Ok(format!("/{tool} {arguments}"))]);
    }
}
