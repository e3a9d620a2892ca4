//! Tolerant reading: a field that does not fit is dropped, without the message or its other fields.

mod changed;

use agentwire_protocol::{
    Block, Content, InboundRequest, Message, System,
    control::{ClaimSessionReply, GetContextUsageReply},
    decode::decode,
    message::{Delta, Event},
};
use serde_json::json;

use changed::{Change, write};

#[test]
fn dropped_field_is_named() {
    let line = r#"{"type":"result","subtype":"success","is_error":{},"result":"text","usage":{"input_tokens":[],"iterations":7,"output_tokens":3},"modelUsage":null,"num_turns":1,"num_turns":2}"#;
    let (message, set_aside) = Message::read(line.as_bytes()).unwrap();
    let Message::Result(result) = message else { panic!("{message:?}") };
    assert_eq!((result.result.as_deref(), result.num_turns, result.is_error), (Some("text"), 2, true));
    assert_eq!(result.usage.unwrap().output_tokens, 3);
    let paths: Vec<&str> = set_aside.iter().map(|error| error.path()).collect();
    assert_eq!(paths, ["is_error", "usage.input_tokens", "usage.iterations", "modelUsage", "num_turns"]);
    let end = line.find(r#""iterations":7"#).unwrap() + r#""iterations":7"#.len();
    assert_eq!((set_aside[2].offset(), set_aside[2].column()), (end, end), "{set_aside:?}");
    assert_eq!(Message::read(br#"{"type":"keep_alive"}"#).unwrap().1, []);
}

#[test]
fn element_keeps_its_index_in_the_path() {
    let line = r#"{"type":"result","subtype":"success","is_error":false,"permission_denials":[7,{"tool_name":"A","tool_use_id":"a","tool_input":{}},[],{"tool_name":"B","tool_use_id":"b","tool_input":1}]}"#;
    let (message, set_aside) = Message::read(line.as_bytes()).unwrap();
    let Message::Result(result) = message else { panic!("{message:?}") };
    let names: Vec<&str> = result.permission_denials.iter().map(|denial| &*denial.tool_name).collect();
    let paths: Vec<&str> = set_aside.iter().map(|error| error.path()).collect();
    assert_eq!((names, paths), (vec!["A", "B"], vec!["permission_denials[0]", "permission_denials[2]"]));
}

#[test]
fn block_that_lacks_a_required_field_is_kept_whole() {
    for block in [
        r#"{"type":"tool_use","id":"t","name":5,"input":{"b":1.10,"a":2}}"#,
        r#"{"input":{"b":1.10,"a":2},"id":"t","type":"tool_use"}"#,
    ] {
        let line = format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"a"}},{block},{{"type":"text","text":"b"}}]}}}}"#
        );
        let (message, set_aside) = Message::read(line.as_bytes()).unwrap();
        let Message::Assistant(assistant) = message else { panic!("{message:?}") };
        let [Block::Text(_), Block::Unknown(unknown), Block::Text(_)] = &assistant.message.content[..] else {
            panic!("{assistant:?}")
        };
        assert_eq!((unknown.kind.as_deref(), unknown.raw.as_str()), (Some("tool_use"), block));
        assert!(set_aside.iter().any(|error| error.path() == "message.content[1]"), "{set_aside:?}");
    }
}

#[test]
fn block_is_kept_whole_whatever_its_names() {
    let block = r#"{"$agentwire::unread":{"type":"text","text":"a"}}"#;
    let Block::Unknown(unknown) = decode(block).unwrap() else { panic!() };
    assert_eq!((unknown.kind.as_deref(), unknown.raw.as_str()), (None, block));
}

#[test]
fn block_of_a_tool_result_that_lacks_a_required_field_loses_no_other_block() {
    let block = r#"{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"kept"},{"type":"image"}]}"#;
    let Block::ToolResult(result) = decode(block).unwrap() else { panic!() };
    assert_eq!(result.text(), "kept");
    let Ok(Some(Content::Blocks(blocks))) = result.typed_content() else { panic!() };
    assert!(matches!(blocks[1], Block::Unknown(_)));
    let Block::ToolResult(odd) = decode(r#"{"type":"tool_result","tool_use_id":"t","content":7}"#).unwrap()
    else {
        panic!()
    };
    assert!(odd.typed_content().is_err());
}

#[test]
fn counts_of_replies_may_have_a_fraction() {
    let usage: GetContextUsageReply = decode(r#"{"systemTools":[{"name":"Read","tokens":12.5}]}"#).unwrap();
    assert_eq!(usage.system_tools.unwrap()[0].tokens, 13);
    let claimed: ClaimSessionReply = decode(r#"{"parked_ms":7.5}"#).unwrap();
    assert_eq!(claimed.parked_ms, Some(8));
}

#[test]
fn estimate_of_thinking_may_have_a_fraction() {
    let delta = decode(r#"{"type":"thinking_delta","thinking":"","estimated_tokens":7.5}"#).unwrap();
    let Delta::Thinking(delta) = delta else { panic!("{delta:?}") };
    assert_eq!(delta.estimated_tokens, Some(8));
}

#[test]
fn debug_of_a_login_shows_no_output() {
    let line = r#"{"type":"auth_status","output":["https://x/?code=s3cret"]}"#;
    let message = Message::from_line(line).unwrap();
    assert!(!format!("{message:?}").contains("s3cret"), "{message:?}");
}

#[test]
fn flag_that_is_not_a_boolean_is_read_as_in_javascript() {
    let falsy = ["0", "null", r#""""#].map(|flag| (flag, false));
    let truthy = ["1", "{}", r#""no""#].map(|flag| (flag, true));
    for (flag, expected) in falsy.into_iter().chain(truthy) {
        let line = format!(r#"{{"type":"result","subtype":"success","is_error":{flag}}}"#);
        let Message::Result(result) = Message::from_line(&line).unwrap() else { panic!() };
        assert_eq!(result.is_error, expected, "{flag}");
    }
    let Message::Result(result) = Message::from_line(r#"{"type":"result","subtype":"success"}"#).unwrap()
    else {
        panic!()
    };
    assert!(result.is_error, "a failure must not pass for an answer");
}

#[test]
fn last_tag_counts_if_the_first_names_no_kind() {
    for line in [
        r#"{"type":null,"subtype":"success","type":"result","is_error":false}"#,
        r#"{"type":7,"type":"x","subtype":"success","is_error":false,"type":"result"}"#,
    ] {
        assert_eq!(Message::from_line(line).unwrap().kind(), "result", "{line}");
    }
}

#[test]
fn parts_of_a_stream_event_are_dropped_too() {
    let line = r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}}}"#;
    let Message::StreamEvent(event) = Message::from_line(line).unwrap() else { panic!() };
    let Event::ContentBlockDelta(delta) = event.event else { panic!() };
    assert_eq!((delta.index, delta.delta.kind()), (0, "text_delta"));
}

#[test]
fn stream_event_that_lacks_a_required_field_is_kept_whole() {
    for text in [
        r#"{"type":"content_block_stop"}"#,
        r#"{"index":"x","delta":{"type":"text_delta","text":"a"},"type":"content_block_delta","n":1.10}"#,
        r#"{"type":"message_start","message":7}"#,
    ] {
        let line = format!(r#"{{"type":"stream_event","event":{text}}}"#);
        let Message::StreamEvent(event) = Message::from_line(&line).unwrap() else { panic!("{line}") };
        let Event::Unknown(unknown) = event.event else { panic!("{line}") };
        assert_eq!(unknown.raw.as_str(), text);
        assert!(text.contains(&format!(r#""type":"{}""#, unknown.kind.unwrap())));
    }
    let error = Message::from_line(r#"{"type":"stream_event","event":7}"#).unwrap_err();
    assert_eq!(error.path(), "event");
}

/// A permission request without a deciding field would be another request.
#[test]
fn control_request_is_read_strictly() {
    let request = json!({
        "type": "control_request", "request_id": "r",
        "request": {
            "subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t", "input": {"command": "ls"},
            "title": "a", "display_name": "b", "description": "c", "permission_suggestions": [],
            "decision_reason": "d", "decision_reason_type": "rule", "decision_reason_rule_source": "e",
            "blocked_path": "/etc", "classifier_approvable": false, "suppress_always_allow_rule": true,
            "default_to_no": true, "matched_ask_rule": {"source": "f", "tool_name": "Bash"},
            "agent_id": "g", "server_policy_ask_only": true, "requires_user_interaction": true,
        },
    });
    let shown = [
        "title",
        "display_name",
        "description",
        "permission_suggestions",
        "decision_reason",
        "decision_reason_rule_source",
    ];
    for (name, _) in request["request"].as_object().unwrap().iter().filter(|(name, _)| *name != "input") {
        for odd in ["7.5", r#"{"a":1}"#] {
            let line = write(&request, &["request".to_owned(), name.clone()], Change::To(odd));
            let read = Message::read(line.as_bytes());
            if !shown.contains(&name.as_str()) && name != "subtype" {
                assert!(read.is_err(), "{line}");
                continue;
            }
            let Message::ControlRequest(request) = read.unwrap().0 else { panic!("{line}") };
            assert_eq!(matches!(request.request, InboundRequest::CanUseTool(_)), name != "subtype", "{line}");
        }
    }
    for line in [
        r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t"}}"#,
        r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Read","tool_name":"Bash","tool_use_id":"t","input":{}}}"#,
        r#"{"\ud83d":1,"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{},"blocked_path":7}}"#,
        r#"{"type":7,"type":"control_request","request_id":"r","request":{"subtype":"hook_callback","callback_id":"c","input":{},"tool_use_id":7}}"#,
    ] {
        assert!(Message::read(line.as_bytes()).is_err(), "{line}");
    }
    let twice = r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_name":"Bash","tool_use_id":"t","input":{}}}"#;
    assert!(Message::read(twice.as_bytes()).is_ok());
}

/// A rule without its content would apply to the whole tool.
#[test]
fn suggestion_that_does_not_fit_is_sent_back_unchanged() {
    for suggestion in [
        r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":{"prefix":"git"}}],"behavior":"allow","destination":"localSettings"}"#,
        r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":["git status"]}],"behavior":"allow","destination":"session"}"#,
        r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"a","ruleContent":"b"}],"behavior":"allow","destination":"session"}"#,
        r#"{"type":"replaceRules","rules":[{"toolName":"Bash","ruleContent":"rm:*"},{"tool":"Write"}],"behavior":"deny","destination":"session"}"#,
        r#"{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"deny","behavior":"allow","destination":"session"}"#,
    ] {
        let line = format!(
            r#"{{"type":"control_request","request_id":"r","request":{{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{{}},"permission_suggestions":[{suggestion}]}}}}"#
        );
        let Message::ControlRequest(request) = Message::from_line(&line).unwrap() else { panic!("{line}") };
        let InboundRequest::CanUseTool(asked) = request.request else { panic!("{line}") };
        let allow = serde_json::to_string(&asked.allow_always().unwrap()).unwrap();
        assert!(allow.contains(&format!(r#""updatedPermissions":[{suggestion}]"#)), "{allow}");
    }
}

#[test]
fn lines_from_the_python_sdk_tests_are_read() {
    for (line, kind) in [
        (r#"{"type":"user","message":{"content":"hi"}}"#, "user"),
        (r#"{"type":"user","message":{"content":[{"type":"text","text":"hi"}]},"origin":"cli"}"#, "user"),
        (r#"{"type":"user","message":{"content":null},"origin":{"kind":5}}"#, "user"),
        (r#"{"type":"assistant","message":{"content":[],"model":"m"}}"#, "assistant"),
        (
            r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"a","signature":"s"}],"model":"m"},"error":{"a":1}}"#,
            "assistant",
        ),
        (
            r#"{"type":"assistant","message":{"content":[{"type":"advisor_tool_result","tool_use_id":"t","content":{"type":"x"}}],"model":"m","usage":"none"}}"#,
            "assistant",
        ),
        (r#"{"type":"system","subtype":"init"}"#, "system"),
        (r#"{"type":"system","subtype":"task_updated","patch":7}"#, "system"),
        (r#"{"type":"system","subtype":"hook_started","hook_name":"n"}"#, "system"),
        (r#"{"type":"system","subtype":"mirror_error"}"#, "system"),
        (
            r#"{"type":"system","subtype":"task_progress","task_id":"t","description":"d","usage":{},"uuid":"u","session_id":"s"}"#,
            "system",
        ),
        (
            r#"{"type":"result","subtype":"success","duration_ms":1,"duration_api_ms":1,"is_error":false,"num_turns":1,"session_id":"s","deferred_tool_use":{"id":"i","name":"n","input":{}}}"#,
            "result",
        ),
        (r#"{"type":"stream_event","uuid":"u","session_id":"s","event":{}}"#, "stream_event"),
        (
            r#"{"type":"rate_limit_event","rate_limit_info":{"status":"later","resetsAt":"soon"},"uuid":"u","session_id":"s"}"#,
            "rate_limit_event",
        ),
        (
            r#"{"type":"conversation_reset","new_conversation_id":"c","uuid":"u","session_id":"s"}"#,
            "conversation_reset",
        ),
    ] {
        assert_eq!(Message::from_line(line).unwrap_or_else(|error| panic!("{error} {line}")).kind(), kind);
    }
}

#[test]
fn many_faults_end_the_search_soon() {
    let entries = vec![r#"{"tool_name":7}"#; 200_000].join(",");
    let line = format!(
        r#"{{"type":"result","subtype":"success","is_error":false,"permission_denials":[{entries}]}}"#
    );
    let start = std::time::Instant::now();
    let (message, set_aside) = Message::read(line.as_bytes()).unwrap();
    let Message::Result(result) = message else { panic!("{message:?}") };
    assert!(result.permission_denials.is_empty() && !result.is_error);
    assert_eq!(set_aside[0].path(), "permission_denials");
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn too_many_faults_cost_their_field_and_no_other() {
    let objects = vec![r#"{"name":"t"}"#; 501].join(",");
    let line = format!(
        r#"{{"type":"system","subtype":"init","cwd":"/w","tools":[{objects}],"model":7,"skills":["a"]}}"#
    );
    let (message, set_aside) = Message::read(line.as_bytes()).unwrap();
    let Message::System(System::Init(init)) = message else { panic!("{message:?}") };
    assert_eq!((&*init.cwd, init.tools.len(), &*init.model, init.skills.len()), ("/w", 0, "", 1));
    let paths: Vec<&str> = set_aside.iter().map(|error| error.path()).collect();
    assert_eq!(paths, ["tools", "model"]);

    // Neither a required field nor a whole part of a control frame is dropped.
    let blocks = vec![r#"{"type":"text","text":7}"#; 1001].join(",");
    let answer = format!(r#"{{"type":"assistant","message":{{"content":[{blocks}]}}}}"#);
    assert_eq!(Message::from_line(&answer).unwrap_err().path(), "message.content[0].text");
    let suggestions = vec![r#"{"type":"addRules","rules":7}"#; 1001].join(",");
    let request = format!(
        r#"{{"type":"control_request","request_id":"r","request":{{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{{}},"permission_suggestions":[{suggestions}]}}}}"#
    );
    assert!(Message::from_line(&request).is_err());
}

#[test]
fn line_of_empty_blocks_has_bounded_memory() {
    let blocks = vec!["{}"; 2_000_000].join(",");
    let line = format!(r#"{{"type":"user","message":{{"role":"user","content":[{blocks}]}}}}"#);
    let error = Message::from_line(&line).unwrap_err();
    assert_eq!(error.reason(), "more than 100000 tagged objects in one");
}
