//! Lines made by hand, one for each thing that can come of a line.

use serde_json::{Value, json};

use super::decode;

fn verdicts(input: impl AsRef<[u8]>) -> Vec<Value> {
    let mut output = Vec::new();
    decode(input.as_ref(), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn verdict(line: &str) -> Value {
    let mut verdicts = verdicts(format!("{line}\n"));
    assert_eq!(verdicts.len(), 1, "{line}");
    verdicts.remove(0)
}

#[test]
fn a_known_line_is_known_whole() {
    let line =
        r#"{"type":"system","subtype":"session_state_changed","state":"idle","session_id":"s","uuid":"u"}"#;
    let expected = json!({
        "kind": "system/session_state_changed", "known": true, "undecodable": null, "lossless": true,
        "unknown_fields": [],
    });
    assert_eq!(verdict(line), expected);
}

#[test]
fn the_names_are_in_the_order_that_is_promised() {
    let mut output = Vec::new();
    decode(&b"{\"type\":\"keep_alive\"}"[..], &mut output).unwrap();
    let expected = "{\"kind\":\"keep_alive\",\"known\":true,\"undecodable\":null,\"lossless\":true,\"unknown_fields\":[]}\n";
    assert_eq!(String::from_utf8(output).unwrap(), expected);
}

#[test]
fn unknown_kinds_are_told_at_every_level() {
    for (line, kind) in [
        (r#"{"type":"brand_new","x":1}"#, "brand_new"),
        (r#"{"type":"system","subtype":"brand_new"}"#, "system/brand_new"),
        (r#"{"subtype":"brand_new","x":{},"type":"system"}"#, "system/brand_new"),
        (
            r#"{"type":"stream_event","event":{"type":"brand_new"},"session_id":"s"}"#,
            "stream_event/brand_new",
        ),
        (
            r#"{"type":"control_request","request_id":"1","request":{"subtype":"brand_new","x":1}}"#,
            "control_request/brand_new",
        ),
        (
            r#"{"type":"control_request","request_id":"1","request":{"subtype":"hook_callback","callback_id":"c","input":{"hook_event_name":"BrandNew"}}}"#,
            "control_request/hook_callback/BrandNew",
        ),
    ] {
        let expected = json!({
            "kind": kind, "known": false, "undecodable": null, "lossless": true, "unknown_fields": [],
        });
        assert_eq!(verdict(line), expected, "{line}");
    }
    assert_eq!(verdict(r#"{"a":1}"#)["kind"], Value::Null);
}

#[test]
fn unknown_fields_are_found_at_every_level() {
    // The tags stand last, where the decoder holds fields back.
    let line = r#"{"zz1":1,"message":{"zz2":null,"id":"m","model":"x","role":"assistant","usage":{"input_tokens":1,"output_tokens":1,"zz3":{"a":1}},"content":[{"zz4":false,"text":"a","type":"text"},{"type":"brand_new","x":1}]},"parent_tool_use_id":null,"session_id":"s","uuid":"u","type":"assistant"}"#;
    let found = verdict(line);
    let unknown = found["unknown_fields"].as_array().unwrap();
    for path in ["zz1", "message.zz2", "message.usage.zz3", "message.content[0].zz4", "message.content[1]"] {
        assert!(unknown.contains(&json!(path)), "{path}: {found}");
    }
    assert_eq!((&found["known"], &found["lossless"]), (&json!(true), &json!(true)));
}

#[test]
fn parts_that_are_kept_as_text_are_read_too() {
    for (line, path) in [
        (
            r#"{"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","index":0,"delta":{"zz":1,"type":"text_delta","text":"a"}}}"#,
            "event.delta.zz",
        ),
        (
            r#"{"type":"user","session_id":"s","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":[{"type":"text","text":"a","zz":1}]}]}}"#,
            "message.content[0].content[0].zz",
        ),
        (
            r#"{"type":"control_request","request_id":"1","request":{"subtype":"hook_callback","callback_id":"c","input":{"hook_event_name":"Stop","session_id":"s","cwd":"/","stop_hook_active":false,"zz":1}}}"#,
            "request.input.zz",
        ),
    ] {
        let found = verdict(line);
        assert_eq!(found["unknown_fields"], json!([path]), "{found}");
    }
}

#[test]
fn free_form_json_has_no_unknown_fields() {
    let line = r#"{"type":"user","session_id":"s","tool_use_result":{"anything":[{"goes":1}]},"message":{"role":"user","content":"a"}}"#;
    assert_eq!(verdict(line)["unknown_fields"], json!([]));
}

#[test]
fn an_undecodable_line_says_where() {
    let found = verdict(r#"{"type":"assistant","message":5,"session_id":"s"}"#);
    assert_eq!(found["kind"], "assistant");
    assert_eq!((&found["known"], &found["lossless"]), (&json!(true), &json!(true)));
    let why = found["undecodable"].as_str().unwrap();
    assert!(why.contains("at line 1 column 31 (in message)"), "{why}");

    let line = r#"{"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","index":"x","delta":{"type":"text_delta","text":"a"}}}"#;
    let found = verdict(line);
    let why = found["undecodable"].as_str().unwrap();
    let column = line.find("\"x\"").unwrap() + 3;
    assert!(why.ends_with(&format!("at line 1 column {column} (in event.index)")), "{why}");
}

#[test]
fn a_field_that_does_not_fit_is_set_aside() {
    let line = r#"{"type":"result","subtype":"success","is_error":false,"fast_mode_state":{"on":true},"result":"a"}"#;
    let found = verdict(line);
    assert_eq!((&found["undecodable"], &found["unknown_fields"]), (&Value::Null, &json!([])), "{found}");
    assert!(found["set_aside"][0].as_str().unwrap().contains("(in fast_mode_state)"), "{found}");
}

#[test]
fn a_lone_surrogate_makes_nothing_undecodable() {
    let line = r#"{"type":"user","session_id":"s","message":{"role":"user","content":"\ud83d and more"}}"#;
    let found = verdict(line);
    assert_eq!((&found["undecodable"], &found["lossless"]), (&Value::Null, &json!(true)), "{found}");
}

#[test]
fn noise_stops_nothing() {
    let found = verdicts(b"a stray print\n\n[1]\n{\"type\":\xff}\n{\"type\":\"keep_alive\"}");
    let kinds: Vec<&Value> = found.iter().map(|verdict| &verdict["kind"]).collect();
    assert_eq!(kinds, [&Value::Null, &Value::Null, &Value::Null, &Value::Null, &json!("keep_alive")]);
    for noise in &found[..4] {
        assert!(noise["undecodable"].as_str().unwrap().contains(" at line 1 column "), "{noise}");
        assert_eq!((&noise["known"], &noise["lossless"]), (&json!(false), &json!(true)));
    }
}

#[test]
fn a_value_that_the_view_changes_is_no_lossless_line() {
    // More digits than a double has.
    let line = r#"{"type":"result","subtype":"success","session_id":"s","is_error":false,"duration_ms":1,"num_turns":1,"total_cost_usd":0.12345678901234567891,"usage":{}}"#;
    assert_eq!(verdict(line)["lossless"], json!(false), "{line}");
}

#[test]
fn both_sides_of_a_transcript_are_read() {
    let text = r#"# agentwire-transcript 1
# cli 2.1.330
> {"type":"control_request","request_id":"req_1","request":{"subtype":"set_model","model":"m","zz":1}}
! on stderr
< {"type":"control_response","response":{"subtype":"success","request_id":"req_1","response":{"model":"m","zz":2}}}
< {"type":"control_request","request_id":"c1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"t"}}
> {"type":"control_response","response":{"subtype":"success","request_id":"c1","response":{"behavior":"allow","zz":3}}}
< {"type":"control_response","response":{"subtype":"error","request_id":"req_9","error":"no"}}
= exit 0
"#;
    let found = verdicts(text);
    let told: Vec<(&str, &Value)> =
        found.iter().map(|verdict| (verdict["kind"].as_str().unwrap(), &verdict["unknown_fields"])).collect();
    assert_eq!(
        told,
        [
            ("control_request/set_model", &json!(["request.zz"])),
            ("control_response/success/set_model", &json!(["response.response.zz"])),
            ("control_request/can_use_tool", &json!([])),
            ("control_response/success/can_use_tool", &json!(["response.response.zz"])),
            ("control_response/error", &json!([])),
        ]
    );
    // The same as JSON lines, without the senders.
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(['<', '>'])).collect();
    assert_eq!(verdicts(lines.join("\n")), found);
}
