//! What our side does beside the turns: tool calls of its own, several handshakes, and faults on purpose.

use agentwire_judge::conformance::{check, self_test};
use agentwire_testkit::{Splits, Transcript};

use super::{findings, finds, parse};

/// A tool call of ours that the CLI asks about, outside of a turn.
const CALL: &str = r#"# agentwire-transcript 1
> {"type":"control_request","request_id":"r1","request":{"subtype":"initialize"}}
< {"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"pid":1}}}
> {"type":"control_request","request_id":"r2","request":{"subtype":"mcp_call","tool":"mcp__a b__w","check_permissions":true}}
< {"type":"system","subtype":"session_state_changed","state":"requires_action"}
< {"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":"mcp__a_b__w","input":{},"tool_use_id":"toolu_mcp_call_1"}}
> {"type":"control_response","response":{"subtype":"success","request_id":"q","response":{"behavior":"allow"}}}
< {"type":"system","subtype":"session_state_changed","state":"idle"}
< {"type":"control_response","response":{"subtype":"success","request_id":"r2","response":{"content":[]}}}
| end of input
= exit 0
"#;

/// Returns a transcript of one turn, with this header and these lines of ours.
fn turn(header: &str, lines: &str) -> Transcript {
    let text = format!(
        r#"# agentwire-transcript 1
# cli 2.1.330{header}
> {{"type":"control_request","request_id":"r1","request":{{"subtype":"initialize"}}}}
< {{"type":"control_response","response":{{"subtype":"success","request_id":"r1","response":{{"pid":1}}}}}}
{lines}
> {{"type":"user","message":{{"role":"user","content":"hi"}},"parent_tool_use_id":null,"session_id":""}}
< {{"type":"system","subtype":"init","session_id":"s","cwd":"/project","model":"m"}}
< {{"type":"assistant","session_id":"s","message":{{"id":"m1","model":"m","content":[{{"type":"text","text":"one"}}]}}}}
< {{"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"s","terminal_reason":"completed","result":"one"}}
| end of input
= exit 0
"#
    );
    parse(&text)
}

#[test]
fn question_about_our_tool_call_is_legal() {
    assert_eq!(findings(CALL), "");
    finds(CALL, "\"check_permissions\":true", "\"check_permissions\":false", "which no tool use has");
    finds(CALL, "mcp__a_b__w", "mcp__other__w", "which no tool use has");
    finds(CALL, "toolu_mcp_call_1", "toolu_1", "which no tool use has");
    finds(CALL, "mcp_call\",\"tool", "mcp_status\",\"tool", "which no tool use has");
    let answer = CALL.lines().find(|line| line.contains("behavior")).unwrap();
    finds(CALL, &format!("{answer}\n"), "", "comes while the question of line 6 is open");
    let asked = CALL.lines().find(|line| line.contains("requires_action")).unwrap();
    finds(CALL, &format!("{asked}\n"), "", "while the state is not `requires_action`");
    let idle = CALL.lines().find(|line| line.contains("idle")).unwrap();
    finds(CALL, &format!("{idle}\n"), "", "the CLI is `requires_action` to the last");
    finds(CALL, &format!("{idle}\n"), &format!("{idle}\n{idle}\n"), "a state before that is missing");
}

#[test]
fn answer_to_a_server_request_has_its_id() {
    let answer = |response: &str| {
        turn(
            "",
            &format!(
                r#"< {{"type":"control_request","request_id":"m","request":{{"subtype":"mcp_message","server_name":"a","message":{{"jsonrpc":"2.0","id":0,"method":"initialize"}}}}}}
> {{"type":"control_response","response":{{"subtype":"success","request_id":"m","response":{{"mcp_response":{response}}}}}}}"#
            ),
        )
    };
    let check = |response| check(&answer(response), Splits::Lines).to_string();
    assert_eq!(check(r#"{"jsonrpc":"2.0","id":0,"result":{}}"#), "");
    for other in [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, r#"{"jsonrpc":"2.0","result":{}}"#] {
        assert!(check(other).contains("the answer to line 5 has another JSON-RPC id"), "{other}");
    }
}

#[test]
fn corruptions_of_our_tool_call_are_found() {
    let test = self_test(&parse(CALL));
    assert!(test.is_passed(), "{:?}", test.missed);
}

#[test]
fn faulty_lines_of_ours_are_legal_where_the_header_declares_them() {
    let repeated = r#"> {"type":"control_request","request_id":"r1","request":{"subtype":"initialize"}}
< {"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"pid":1}}}"#;
    let headless = r#"> {"type":"control_request","request_id":"x","request":{}}
< {"type":"control_response","response":{"subtype":"error","request_id":"x","error":"no"}}"#;
    for lines in [
        "> this is no JSON",
        "> ",
        ">    ",
        "> [1]",
        r#"> {"type":"control_response","response":{"subtype":"success","request_id":"x","response":{}}}"#,
        r#"> {"type":"control_cancel_request","request_id":"x"}"#,
        repeated,
        headless,
    ] {
        let plain = check(&turn("", lines), Splits::Lines);
        assert!(!plain.is_clean(), "{lines}: legal without a word in the header");
        let declared = check(&turn("  faults yes", lines), Splits::Lines);
        assert!(declared.is_clean(), "{lines}: {declared}");
        let test = self_test(&turn("  faults yes", lines));
        assert!(test.is_passed(), "{lines}: {:?}", test.missed);
    }
}

#[test]
fn faults_of_the_cli_are_found_in_a_recording_of_faults_too() {
    for lines in [
        "< this is no JSON",
        r#"< {"type":"control_response","response":{"subtype":"success","request_id":"x","response":{}}}"#,
        r#"> {"type":"control_request","request_id":"x","request":{}}"#,
        r#"> {"type":"control_request","request_id":"r1","request":{"subtype":"initialize"}}"#,
        r#"< {"type":"control_cancel_request","request_id":"x"}"#,
        r#"< {"type":"assistant","session_id":"s","message":{"id":"m0","model":"m","content":[]}}"#,
    ] {
        let report = check(&turn("  faults yes", lines), Splits::Lines);
        assert!(!report.is_clean(), "{lines}");
    }
}
