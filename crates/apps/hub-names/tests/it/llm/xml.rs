//! Calls in the XML form.

use agentwire_hub_names::llm::{CallForm, Why, read};
use proptest::prelude::*;

use super::{found, grows_steadily, texts};

fn xml(text: &str) -> Vec<Result<String, Why>> {
    found(text, CallForm::Xml)
}

fn call(arguments: &str) -> String {
    format!(
        "<use_mcp_tool>\n<server_name>s</server_name>\n<tool_name>t</tool_name>\n<arguments>\n{arguments}\n</arguments>\n</use_mcp_tool>"
    )
}

#[test]
fn calls_are_found() {
    let plain = call(r#"{"a": 1}"#);
    for (text, calls) in [
        (plain.clone(), vec!["s/t {\"a\":1}"]),
        (format!("I will look.\n\n  {plain}\nThen I wait."), vec!["s/t {\"a\":1}"]),
        (format!("{plain}\n{plain}"), vec!["s/t {\"a\":1}"; 2]),
        (format!("{plain}{plain} and so on"), vec!["s/t {\"a\":1}"; 2]),
        (plain.replace('\n', ""), vec!["s/t {\"a\":1}"]),
        (plain.replace('\n', "\r\n"), vec!["s/t {\"a\":1}"]),
        (call(""), vec!["s/t {}"]),
        (call(r#"{"a": {"b": [{"c": "}"}]}}"#), vec![r#"s/t {"a":{"b":[{"c":"}"}]}}"#]),
        (
            call(r#"{"a": "</arguments></use_mcp_tool>\n```"}"#),
            vec![r#"s/t {"a":"</arguments></use_mcp_tool>\n```"}"#],
        ),
        (
            "<use_mcp_tool><tool_name> a &lt;b&gt; &amp;amp; &x </tool_name><server_name>my server</server_name></use_mcp_tool>".into(),
            vec!["my server/a <b> &amp; &x {}"],
        ),
        (
            "<access_mcp_resource>\n<server_name>s</server_name>\n<uri>demo://1?a=1&amp;b=2</uri>\n</access_mcp_resource>".into(),
            vec!["s demo://1?a=1&b=2"],
        ),
        (format!("```\ncode\n```\n{plain}"), vec!["s/t {\"a\":1}"]),
    ] {
        let calls: Vec<_> = calls.into_iter().map(|call| Ok(call.to_owned())).collect();
        assert_eq!(xml(&text), calls, "{text}");
        grows_steadily(&text, CallForm::Xml);
    }
}

#[test]
fn other_text_is_not_a_call() {
    let plain = call("{}");
    for text in [
        "".to_owned(),
        "Just text, with <b>tags</b> and a < b.".to_owned(),
        "Write `<use_mcp_tool>` to call a tool.".to_owned(),
        format!("So: {plain}"),
        format!("> {plain}"),
        format!("- {plain}"),
        "<use_mcp_tools></use_mcp_tools>".to_owned(),
        "<use_mcp_tool kind=\"x\"></use_mcp_tool>".to_owned(),
        "<USE_MCP_TOOL></USE_MCP_TOOL>".to_owned(),
        "<use_mcp_to".to_owned(),
        format!("```\nThis is how:\n{plain}\n```"),
        format!("~~~~xml\n{plain}\n~~~\n{plain}"),
        "{\"tool\": \"t\", \"arguments\": {}}".to_owned(),
    ] {
        let none = xml(&text).into_iter().all(|call| call == Err(Why::Fenced));
        assert!(none, "{text}: {:?}", xml(&text));
        grows_steadily(&text, CallForm::Xml);
    }
}

#[test]
fn failed_attempts_are_reported() {
    let plain = call("{}");
    let json = |text: &str| match &xml(&call(text))[..] {
        [Err(Why::Json(error))] => error.contains("line"),
        _ => false,
    };
    assert!(json("{'a': 1}") && json("{\"a\": 1,}") && json("{a: 1}") && json("{\"a\": \"x\ny\"}"));
    for (text, why) in [
        (format!("```xml\n{plain}\n```"), Why::Fenced),
        (plain.replace("<server_name>s</server_name>", ""), Why::Missing("server_name")),
        (plain.replace("<tool_name>t<", "<tool_name> <"), Why::Missing("tool_name")),
        (plain.replace("<tool_name>", "<tool_name>t</tool_name><tool_name>"), Why::Repeated("tool_name")),
        (plain.replace("</arguments>", "</arguments><arguments>{}</arguments>"), Why::Repeated("arguments")),
        (plain.replace("arguments", "args"), Why::Stray("<args>".into())),
        (plain.replace("</tool_name>", "</name>"), Why::Unclosed("tool_name")),
        (plain.replace("</arguments>", "</args>"), Why::Unclosed("arguments")),
        (call("[1]"), Why::NotA("arguments", "JSON object")),
        (call("{} {}"), Why::Unclosed("arguments")),
        (plain.replace("<arguments>", "and<arguments>"), Why::Stray("and<arguments>".into())),
        (
            "<access_mcp_resource><server_name>s</server_name></access_mcp_resource>".into(),
            Why::Missing("uri"),
        ),
        (plain.replace("</use_mcp_tool>", ""), Why::Unfinished),
        (plain.replace("</use_mcp_tool>", "</use_mcp"), Why::Unfinished),
    ] {
        assert_eq!(xml(&text), [Err(why)], "{text}");
        grows_steadily(&text, CallForm::Xml);
    }
}

#[test]
fn a_truncated_call_is_unfinished() {
    let text = call(r#"{"a": "b"}"#);
    for end in "<use_mcp_tool>".len()..text.len() {
        assert_eq!(xml(&text[..end]), [Err(Why::Unfinished)], "{}", &text[..end]);
    }
}

#[test]
fn reading_continues_only_after_complete_elements() {
    let (good, bad) = (call("{}"), call("{oops}"));
    assert!(matches!(&xml(&format!("{bad}\n{good}"))[..], [Err(Why::Json(_))]));
    let endless = bad.replace("</use_mcp_tool>", "");
    assert!(matches!(&xml(&format!("{endless}\nText.\n"))[..], [Err(Why::Json(_))]));
    let whole = good.replace("<tool_name>t</tool_name>", "");
    assert_eq!(xml(&format!("{whole}\n{good}")), [Err(Why::Missing("tool_name")), Ok("s/t {}".into())]);
}

#[test]
fn calls_in_broken_arguments_are_never_made() {
    let example = call("{}");
    let broken = call(&format!("{{\"c\":\"x\n{example}\n{example}\n\"}}"));
    assert!(matches!(&xml(&broken)[..], [Err(Why::Json(_))]), "{:?}", xml(&broken));
    let twice = call("{}").replace(
        "</arguments>",
        &format!("</arguments>\n<arguments>\n{{\"c\":\"\n{example}\n{example}\"}}\n</arguments>"),
    );
    assert_eq!(xml(&twice), [Err(Why::Repeated("arguments"))]);
}

#[test]
fn code_blocks_in_lists_and_quotes_are_recognised() {
    let plain = call("{}");
    for marker in ["- ", "* ", "+ ", "1. ", "12) ", "> ", ">", "> - ", "  1.  "] {
        let quote = if marker.starts_with('>') { "> " } else { "" };
        let text = format!(
            "{marker}```xml\n{quote}So:\n{quote}{}\n{quote}```\n{plain}",
            plain.replace('\n', &format!("\n{quote}"))
        );
        assert_eq!(xml(&text), [Ok("s/t {}".into())], "{text}");
        grows_steadily(&text, CallForm::Xml);
    }
    // A block ends with its quote.
    assert_eq!(xml(&format!("> ```\n> code\n\n{plain}")), [Ok("s/t {}".into())]);
    assert_eq!(xml(&format!("- `code`\n-```\n{plain}")), [Ok("s/t {}".into())]);
}

#[test]
fn an_indentation_of_four_columns_is_code() {
    let plain = call("{}");
    for indent in ["    ", "\t", "  \t", "          "] {
        let text = format!("So:\n\n{indent}{plain}\n{plain}");
        assert_eq!(xml(&text), [Err(Why::Fenced), Ok("s/t {}".into())], "{text}");
        grows_steadily(&text, CallForm::Xml);
    }
    assert_eq!(xml(&format!("   {plain}     {plain}")), [Ok("s/t {}".into()), Ok("s/t {}".into())]);
}

#[test]
fn deep_arguments_are_refused() {
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(&xml(&call(&deep))[..], [Err(Why::Json(_))]));
}

const TAGS: &str = "<use_mcp_tool> </use_mcp_tool> <access_mcp_resource> </access_mcp_resource> \
    <server_name>s</server_name> <tool_name> t </tool_name> <uri>a://b</uri> <arguments> </arguments> ``` ~~~ é &lt; < {";

proptest! {
    #[test]
    fn any_text_is_read_the_same_while_it_grows(text in texts(TAGS, r#"{"a": [1, {"b": "</arguments>"}]}"#)) {
        grows_steadily(&text, CallForm::Xml);
    }

    #[test]
    fn any_arguments_come_through(key in "\\PC{0,10}", value in "\\PC{0,20}") {
        let arguments = serde_json::json!({ key: value });
        let whole = call(&arguments.to_string());
        let findings = read(&whole, CallForm::Xml);
        prop_assert_eq!(findings.len(), 1);
        prop_assert_eq!(found(&whole, CallForm::Xml), [Ok(format!("s/t {arguments}"))]);
    }
}
