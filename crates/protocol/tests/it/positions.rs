//! Error positions: paths and positions refer to the original line.

use agentwire_protocol::{
    Message,
    decode::{decode, decode_bytes},
    permission::{Decision, PermissionUpdate},
};
use serde::de::DeserializeOwned;

#[test]
fn wrong_field_is_located_with_the_tag_first_and_last() {
    for [first, last] in [
        [
            r#"{"type":"user","message":{"role":"user","content":5},"uuid":"u"}"#,
            r#"{"message":{"role":"user","content":5},"uuid":"u","type":"user"}"#,
        ],
        [
            r#"{"type":"user","uuid":"u","message":{"role":"user","content":5}}"#,
            r#"{"uuid":"u","type":"user","message":{"role":"user","content":5}}"#,
        ],
    ] {
        for line in [first, last] {
            check::<Message>(
                line,
                "message.content",
                "5",
                "invalid type: integer `5`, expected a string or a list of content blocks",
            );
        }
    }
}

#[test]
fn missing_field_is_located_at_the_end_of_its_object() {
    for block in [r#"{"type":"tool_use","id":"t","input":{}}"#, r#"{"id":"t","input":{},"type":"tool_use"}"#]
    {
        for line in [
            format!(
                r#"{{"type":"assistant","message":{{"id":"m","model":"x","content":[{{"type":"text","text":""}},{block}]}},"uuid":"u"}}"#
            ),
            format!(
                r#"{{"message":{{"content":[{{"text":"","type":"text"}},{block}],"id":"m","model":"x"}},"uuid":"u","type":"assistant"}}"#
            ),
        ] {
            check::<Message>(&line, "message.content[1]", block, "missing field `name`");
        }
    }
    for line in [r#"{"type":"assistant","uuid":"u"}"#, r#"{"uuid":"u","type":"assistant"}"#] {
        check::<Message>(line, "", line, "missing field `message`");
    }
}

#[test]
fn fault_in_a_result_is_located_although_its_tag_is_also_a_field() {
    for line in [
        r#"{"duration_api_ms":1,"subtype":"success","is_error":"no","num_turns":1,"type":"result"}"#,
        r#"{"is_error":"no","duration_api_ms":1,"type":"result","subtype":"success"}"#,
        r#"{"type":"result","duration_ms":1,"is_error":"no","subtype":"success"}"#,
    ] {
        check::<Message>(line, "is_error", r#""no""#, "invalid type: string \"no\", expected a boolean");
    }
    check::<Message>(
        r#"{"subtype":"success","is_error":false,"subtype":"success","type":"result"}"#,
        "",
        r#","subtype""#,
        "duplicate field `subtype`",
    );
}

#[test]
fn fault_is_located_with_two_late_tags_on_one_object() {
    for line in [
        r#"{"session_id":"s","state":{},"subtype":"session_state_changed","type":"system"}"#,
        r#"{"session_id":"s","state":{},"type":"system","subtype":"session_state_changed"}"#,
        r#"{"type":"system","session_id":"s","state":{},"subtype":"session_state_changed"}"#,
        r#"{"type":"system","subtype":"session_state_changed","session_id":"s","state":{}}"#,
    ] {
        check::<Message>(line, "state", r#""state":"#, "invalid type: map, expected a string");
    }
}

#[test]
fn numbers_out_of_range_are_located_in_buffered_fields() {
    for line in [
        r#"{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","utilization":1e400}}"#,
        r#"{"rate_limit_info":{"utilization":1e400,"status":"allowed"},"type":"rate_limit_event"}"#,
    ] {
        let error = decode::<Message>(line).unwrap_err();
        assert_eq!((error.path(), error.reason()), ("rate_limit_info.utilization", "number out of range"));
    }
}

#[test]
fn fault_is_located_with_other_and_escaped_tags() {
    check::<Decision>(
        r#"{"interrupt":1,"message":"no","behavior":"deny"}"#,
        "interrupt",
        "1",
        "invalid type: integer `1`, expected a boolean",
    );
    check::<Decision>(
        r#"{"interrupt":1,"message":"no","b\u0065havior":"deny"}"#,
        "interrupt",
        "1",
        "invalid type: integer `1`, expected a boolean",
    );
    check::<PermissionUpdate>(
        r#"{"rules":[{"toolName":"Bash"},{"ruleContent":"x"}],"behavior":"allow","destination":"session","type":"addRules"}"#,
        "rules[1]",
        r#"{"ruleContent":"x"}"#,
        "missing field `toolName`",
    );
}

#[test]
fn lines_and_columns_are_correct_in_multi_line_text() {
    for text in [
        "{\n  \"type\": \"user\",\n  \"message\": {\n    \"role\": \"user\",\n    \"content\": 5\n  }\n}",
        "{\n  \"uuid\": \"é\",\n  \"message\": {\n    \"role\": \"user\",\n    \"content\": 5\n  }, \"type\": \"user\"\n}",
    ] {
        let error = decode::<Message>(text).unwrap_err();
        assert_eq!((error.line(), error.column(), error.path()), (5, 16, "message.content"), "{error}");
        assert_eq!(error.to_string(), format!("{} at line 5 column 16 (in message.content)", error.reason()));
    }
}

#[test]
fn broken_text_is_located_where_it_breaks() {
    for (text, path, reason) in [
        (r#"{"type":"user","message":{"role":"us"#, "message.role", "EOF while parsing a string"),
        (r#"{"uuid":"u","message":{"content":["#, "message.content[0]", "EOF while parsing a list"),
        (r#"{"message":{"content":[tru"#, "message.content[0]", "EOF while parsing a value"),
        ("", "", "EOF while parsing a value"),
        (r#"{"type":"user""#, "type", "EOF while parsing an object"),
    ] {
        let error = decode::<Message>(text).unwrap_err();
        assert_eq!((error.path(), error.reason(), error.offset()), (path, reason, text.len()), "{text}");
    }
    let error = decode::<Message>(r#"{"uuid":"u",,"type":"user"}"#).unwrap_err();
    assert_eq!((error.path(), error.column()), ("", 13));
    let error = decode::<Message>("[1]").unwrap_err();
    assert_eq!(error.reason(), "invalid type: sequence, expected an object with a `type`");
}

#[test]
fn invalid_utf8_is_located() {
    let error = decode_bytes::<Message>(b"{\"type\":\n\"user\xff\"}").unwrap_err();
    assert_eq!((error.reason(), error.line(), error.column(), error.offset()), ("invalid UTF-8", 2, 5, 14));
    assert_eq!(error.path(), "type");
}

#[test]
fn error_contains_only_an_excerpt() {
    let secret = "é".repeat(1_000_000);
    let error =
        decode::<Message>(&format!(r#"{{"isReplay":"{secret}","message":{{}},"type":"user"}}"#)).unwrap_err();
    assert!(error.to_string().len() < 400 && format!("{error:?}").len() < 600, "{error}");
    assert_eq!(error.path(), "isReplay");
    assert!(
        error.reason().starts_with("invalid type: string \"é")
            && error.reason().ends_with("expected a boolean")
    );
}

/// Checks that the fault of `line` lies directly behind `behind`, and that all its coordinates agree.
fn check<T: DeserializeOwned + std::fmt::Debug>(line: &str, path: &str, behind: &str, reason: &str) {
    let error = decode::<T>(line).unwrap_err();
    assert_eq!((error.reason(), error.path()), (reason, path), "{line}");
    assert!(line[..error.offset()].ends_with(behind), "at {} of {line}", error.offset());
    assert_eq!((error.line(), error.column()), (1, error.offset()));
}
