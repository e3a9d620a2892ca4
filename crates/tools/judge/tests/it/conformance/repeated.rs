//! What the CLI may do again: start a turn instead of another, repeat a message, echo an answer.

use agentwire_judge::conformance::self_test;

use super::{findings, finds, parse};

/// A prompt with the priority `now` comes before the first request to the model.
const NOW: &str = r#"# agentwire-transcript 1
# cli 2.1.330
> {"type":"control_request","request_id":"r1","request":{"subtype":"initialize"}}
< {"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"pid":1}}}
> {"type":"user","message":{"role":"user","content":"a"},"parent_tool_use_id":null,"session_id":"","uuid":"a"}
< {"type":"system","subtype":"session_state_changed","state":"running","uuid":"u1"}
> {"type":"user","message":{"role":"user","content":"b"},"parent_tool_use_id":null,"session_id":"","priority":"now"}
< {"type":"system","subtype":"init","session_id":"s","cwd":"/project","model":"m","uuid":"u2","user_message_uuids":["a"]}
< {"type":"system","subtype":"init","session_id":"s","cwd":"/project","model":"m","uuid":"u3"}
< {"type":"assistant","session_id":"s","message":{"id":"m1","model":"m","content":[{"type":"text","text":"one"}]},"uuid":"u4"}
< {"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"s","terminal_reason":"completed","result":"one","uuid":"u5"}
< {"type":"system","subtype":"session_state_changed","state":"idle","uuid":"u6"}
| end of input
= exit 0
"#;

/// A compaction repeats the answer to a local command.
const COMPACTED: &str = r#"# agentwire-transcript 1
# cli 2.1.330
> {"type":"user","message":{"role":"user","content":"/model opus"},"parent_tool_use_id":null,"session_id":""}
< {"type":"system","subtype":"init","session_id":"s","cwd":"/project","model":"m","uuid":"u1"}
< {"type":"assistant","session_id":"s","message":{"id":"m1","model":"<synthetic>","content":[{"type":"text","text":"set"}]},"uuid":"u2","local_command_run":{"command":"model","args":"opus"}}
< {"type":"result","subtype":"success","is_error":false,"num_turns":0,"session_id":"s","result":"set","uuid":"u3"}
> {"type":"user","message":{"role":"user","content":"/compact"},"parent_tool_use_id":null,"session_id":""}
< {"type":"system","subtype":"init","session_id":"s","cwd":"/project","model":"m","uuid":"u4"}
< {"type":"system","subtype":"compact_boundary","session_id":"s","uuid":"u5","compact_metadata":{"trigger":"manual","pre_tokens":1}}
< {"type":"assistant","session_id":"s","message":{"id":"m2","model":"<synthetic>","content":[{"type":"text","text":"set"}]},"uuid":"u2","local_command_run":{"command":"model","args":"opus"}}
< {"type":"result","subtype":"success","is_error":false,"num_turns":0,"session_id":"s","result":"","uuid":"u6"}
| end of input
= exit 0
"#;

/// A note comes first, and an answer is echoed.
const ECHOED: &str = r#"# agentwire-transcript 1
# cli 2.1.330
> {"type":"control_request","request_id":"r1","request":{"subtype":"initialize"}}
< {"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"pid":1}}}
> {"type":"user","message":{"role":"user","content":"note"},"parent_tool_use_id":null,"session_id":"","shouldQuery":false}
< {"type":"system","subtype":"session_state_changed","state":"running","uuid":"u1"}
< {"type":"system","subtype":"init","session_id":"s","cwd":"/project","model":"m","uuid":"u2"}
< {"type":"result","subtype":"success","is_error":false,"num_turns":0,"session_id":"s","result":"","uuid":"u3"}
< {"type":"system","subtype":"session_state_changed","state":"idle","uuid":"u4"}
> {"type":"user","message":{"role":"user","content":"go"},"parent_tool_use_id":null,"session_id":""}
< {"type":"system","subtype":"session_state_changed","state":"running","uuid":"u5"}
< {"type":"system","subtype":"init","session_id":"s","cwd":"/project","model":"m","uuid":"u6"}
< {"type":"control_request","request_id":"q1","request":{"subtype":"from_the_future"}}
> {"type":"control_response","response":{"subtype":"success","request_id":"q1","response":{"a":1}}}
< {"type":"control_response","response":{"subtype":"success","request_id":"q1","response":{"a":1}}}
< {"type":"assistant","session_id":"s","message":{"id":"m1","model":"m","content":[{"type":"text","text":"one"}]},"uuid":"u7"}
< {"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"s","terminal_reason":"completed","result":"one","uuid":"u8"}
< {"type":"system","subtype":"session_state_changed","state":"idle","uuid":"u9"}
| end of input
= exit 0
"#;

/// Returns the line that contains this text, with its end.
fn line(text: &str, part: &str) -> String {
    text.lines().find(|line| line.contains(part)).unwrap().to_owned() + "\n"
}

#[test]
fn corruptions_of_each_are_found() {
    for text in [NOW, COMPACTED, ECHOED] {
        let test = self_test(&parse(text));
        assert!(test.is_passed(), "{:?}, {:?}", test.missed, test.splits);
    }
}

#[test]
fn urgent_prompt_may_start_a_turn_instead_of_another() {
    assert_eq!(findings(NOW), "");
    let expected = "line 9: a turn starts, and that of line 8 has no result";
    finds(NOW, "\"priority\":\"now\"", "\"priority\":\"next\"", expected);
    finds(NOW, "\"uuid\":\"u3\"", "\"uuid\":\"u3\",\"user_message_uuids\":[\"a\"]", expected);
    // The model has begun, so the turn has a result.
    let (second, answer) = (line(NOW, "\"u3\""), line(NOW, "\"u4\""));
    finds(
        NOW,
        &format!("{second}{answer}"),
        &format!("{answer}{second}"),
        "and that of line 8 has no result",
    );
    // One prompt starts one turn.
    let third = second.replace("\"u3\"", "\"u7\",\"user_message_uuids\":[\"b\"]");
    finds(
        NOW,
        &second,
        &format!("{second}{third}"),
        "line 10: a turn starts, and that of line 9 has no result",
    );
}

#[test]
fn compaction_may_repeat_the_answer_to_a_local_command() {
    assert_eq!(findings(COMPACTED), "");
    let repeated = line(COMPACTED, "\"m2\"");
    let expected = "has the `uuid` of that of line";
    finds(COMPACTED, &repeated, &repeated.repeat(2), expected);
    finds(COMPACTED, &line(COMPACTED, "\"u5\""), "", expected);
    finds(COMPACTED, &repeated, &repeated.replace("opus", "haiku"), expected);
    finds(COMPACTED, &repeated, &repeated.replace("local_command_run", "run"), expected);
}

#[test]
fn echo_of_an_answer_is_no_reply() {
    assert_eq!(findings(ECHOED), "");
    let echo = line(
        ECHOED,
        "< {\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"q1\"",
    );
    let expected = "a reply to q1, which nobody has asked";
    finds(ECHOED, &echo, &echo.repeat(2), expected);
    finds(ECHOED, &echo, &echo.replace("\"a\":1", "\"a\":2"), expected);
    let answer = echo.replacen('<', ">", 1);
    finds(ECHOED, &format!("{answer}{echo}"), &format!("{echo}{answer}"), expected);
}

#[test]
fn turn_of_a_note_comes_only_after_the_note() {
    assert_eq!(findings(ECHOED), "");
    finds(ECHOED, &line(ECHOED, "shouldQuery"), "", "a turn starts before the first prompt");
}
