//! Hostile lines: very deep, very many, or built to mislead the location of a fault.

use agentwire_protocol::{Block, Message, RawJson, Unknown, content::ToolUse, decode::decode};

use crate::tagged::Union;

#[test]
fn nested_unions_fail_before_the_stack_overflows() {
    for nest in [tag_first, tag_last] {
        assert!(decode::<Block>(&nested(nest, 10)).is_ok());
        for depth in [16, 40, 200, 3000] {
            let error = decode::<Block>(&nested(nest, depth)).unwrap_err();
            assert_eq!(error.reason(), "more than 32 tagged objects within each other");
            assert!(error.path().starts_with("source.content[0].source.content[0]."), "{error}");
        }
        // The count restarts for each value.
        assert!(decode::<Vec<Block>>(&format!("[{}]", vec![nested(nest, 10); 50].join(","))).is_ok());
    }
}

#[test]
fn free_form_json_has_no_depth_limit() {
    for deep in
        ["[".repeat(20_000) + &"]".repeat(20_000), r#"{"a":"#.repeat(20_000) + "1" + &"}".repeat(20_000)]
    {
        assert_eq!(RawJson::parse(&*deep).unwrap().as_str(), deep);
        for line in [
            format!(r#"{{"type":"later","a":{deep}}}"#),
            format!(r#"{{"a":{deep},"type":"later"}}"#),
            format!(r#"{{"a":{deep}}}"#),
        ] {
            let message: Message = decode(&line).unwrap();
            assert_eq!(message.as_unknown().map(|unknown: &Unknown| unknown.raw.as_str()), Some(&*line));
            assert_eq!(serde_json::to_string(&message).unwrap(), line);
            assert_eq!(message.as_unknown().unwrap().field::<RawJson>("a").unwrap().unwrap().as_str(), deep);
        }
        for block in [
            format!(r#"{{"type":"tool_use","id":"t","name":"Bash","x":{deep},"input":{deep}}}"#),
            format!(r#"{{"x":{deep},"input":{deep},"id":"t","name":"Bash","type":"tool_use"}}"#),
        ] {
            let block: Block = decode(&block).unwrap();
            assert_eq!(block.as_tool_use().map(|used: &ToolUse| used.input.as_str()), Some(&*deep));
        }
    }
}

#[test]
fn fault_behind_many_late_tags_is_located() {
    let blocks = r#"{"text":"x","type":"text"},"#.repeat(50_000);
    let line = format!(
        r#"{{"message":{{"content":[{blocks}{{"text":5,"type":"text"}}],"model":"x","id":"m"}},"type":"assistant"}}"#
    );
    let error = decode::<Message>(&line).unwrap_err();
    assert_eq!(error.path(), "message.content[50000].text");
    assert!(line[..error.offset()].ends_with(r#"{"text":5"#), "{error}");
}

#[test]
fn repeated_fields_are_kept() {
    let fields = vec![r#""a":1.10"#; 100_000].join(",");
    for line in [format!(r#"{{"type":"later",{fields}}}"#), format!(r#"{{{fields},"type":"later"}}"#)] {
        let message: Message = decode(&line).unwrap();
        assert_eq!(serde_json::to_string(&message).unwrap(), line);
    }
    let error = decode::<Message>(&format!(r#"{{{fields},"type":"user"}}"#)).unwrap_err();
    assert_eq!(error.reason(), "missing field `message`");
}

#[test]
fn tag_that_is_not_a_string_does_not_mislead_the_search() {
    for tag in ["5", "null", "{}", r#"{"type":"text"}"#, "[1]", r#"["type","text"]"#] {
        let line = format!(
            r#"{{"uuid":"u","message":{{"id":"m","model":"x","content":[{{"type":{tag},"type":"later","text":7}},{{"text":7,"type":"text"}}]}},"type":"assistant"}}"#
        );
        let error = decode::<Message>(&line).unwrap_err();
        assert_eq!(error.path(), "message.content[1].text", "{line}");
        assert!(line[..error.offset()].ends_with(r#",{"text":7"#), "at {} of {line}", error.offset());
    }
}

fn nested(nest: fn(&str) -> String, depth: usize) -> String {
    (0..depth).fold(r#"{"type":"text","text":"x"}"#.to_owned(), |inner, _| nest(&inner))
}

fn tag_first(inner: &str) -> String {
    format!(r#"{{"type":"document","source":{{"type":"content","content":[{inner}]}}}}"#)
}

fn tag_last(inner: &str) -> String {
    format!(r#"{{"source":{{"content":[{inner}],"type":"content"}},"type":"document"}}"#)
}
