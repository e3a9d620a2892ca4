//! Outlines: the same for every run of a scenario, different where the protocol is.

use agentwire_judge::Outline;
use agentwire_testkit::Transcript;

const SESSION: &str = r#"# agentwire-transcript 1
> {"type":"control_request","request_id":"req_1","request":{"subtype":"initialize"}}
< {"type":"control_request","request_id":"c1","request":{"subtype":"mcp_message","server_name":"s","message":{"method":"initialize","id":0}}}
> {"type":"control_response","response":{"subtype":"success","request_id":"c1","response":{"mcp_response":{"id":0,"result":{}}}}}
< {"type":"control_response","response":{"subtype":"success","request_id":"req_1","response":{}}}
> {"type":"user","message":{"role":"user","content":"hi"}}
< {"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash"}]}}
< {"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Bash"}]}}
< {"type":"control_request","request_id":"c2","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t1"}}
< {"type":"control_request","request_id":"c3","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t2"}}
> {"type":"control_response","response":{"subtype":"success","request_id":"c2","response":{"behavior":"allow"}}}
> {"type":"control_response","response":{"subtype":"success","request_id":"c3","response":{"behavior":"deny"}}}
< {"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]}}
< {"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","is_error":true}]}}
< {"type":"result","subtype":"success","is_error":false}
| end of input
= exit 0
"#;

fn outline(text: &str) -> Outline {
    Outline::of(&Transcript::parse(text).unwrap())
}

/// Returns the differences after a change of the text.
fn differences(from: &str, to: &str) -> Vec<String> {
    assert!(SESSION.contains(from), "{from}");
    outline(SESSION).differences(&outline(&SESSION.replacen(from, to, 1)))
}

fn swapped(first: usize, second: usize) -> Vec<String> {
    let mut lines: Vec<&str> = SESSION.lines().collect();
    lines.swap(first - 1, second - 1);
    let text = lines.join("\n") + "\n";
    outline(SESSION).differences(&outline(&text))
}

#[test]
fn ids_texts_and_times_do_not_matter() {
    let other = SESSION.replace("\"c2\"", "\"x\"").replace("\"t1\"", "\"y\"").replace("\"hi\"", "\"ho\"");
    let other = other.replace("req_1", "z").replace("= exit", "! a warning\n~ 5ms\n= exit");
    assert_eq!(outline(SESSION).differences(&outline(&other)), [""; 0]);
}

#[test]
fn answers_to_overlapping_requests_come_in_any_order() {
    // The answers of two callbacks that run at once, and an MCP handshake beside the first prompt.
    assert!(swapped(11, 12).is_empty());
    assert!(swapped(5, 3).is_empty());
    assert!(
        differences("< {\"type\":\"result\"", "< {\"type\":\"keep_alive\"}\n< {\"type\":\"result\"")
            .is_empty()
    );
}

#[test]
fn hook_calls_about_changed_folders_come_in_any_order() {
    let with_call = |event: &str, before: &str| {
        let input = format!(r#"{{"hook_event_name":"{event}"}}"#);
        let request = format!(r#"{{"subtype":"hook_callback","callback_id":"h","input":{input}}}"#);
        let call = format!(r#"< {{"type":"control_request","request_id":"c4","request":{request}}}"#);
        outline(&SESSION.replacen(before, &format!("{call}\n{before}"), 1))
    };
    let (before_results, after_results) = (r#"< {"type":"user""#, r#"< {"type":"result""#);
    for (event, differ) in [("CwdChanged", false), ("FileChanged", false), ("PostToolUse", true)] {
        let differences = with_call(event, before_results).differences(&with_call(event, after_results));
        assert_eq!(!differences.is_empty(), differ, "{event}: {differences:?}");
    }
    assert!(!with_call("CwdChanged", after_results).differences(&outline(SESSION)).is_empty());
}

#[test]
fn every_other_change_is_a_difference() {
    for (from, to) in [
        ("\"name\":\"Bash\"", "\"name\":\"Read\""),
        ("\"behavior\":\"deny\"", "\"behavior\":\"allow\""),
        (",\"is_error\":true", ""),
        ("\"is_error\":false", "\"is_error\":true"),
        ("| end of input\n", ""),
        ("= exit 0", "= exit 1"),
        ("\"tool_use_id\":\"t2\"", "\"tool_use_id\":\"t1\""),
        ("\"request_id\":\"c3\",\"response\":{\"b", "\"request_id\":\"c9\",\"response\":{\"b"),
        ("\"method\":\"initialize\"", "\"method\":\"ping\""),
        ("< {\"type\":\"result\"", "< no JSON\n< {\"type\":\"result\""),
        (
            "\"subtype\":\"success\",\"request_id\":\"req_1\"",
            "\"subtype\":\"error\",\"request_id\":\"req_1\"",
        ),
    ] {
        assert!(!differences(from, to).is_empty(), "{from} -> {to}");
    }
    // Two results of tools in the other order.
    assert!(!swapped(13, 14).is_empty());
    for line in 2..=17 {
        let text: String = SESSION
            .lines()
            .enumerate()
            .filter(|(at, _)| at + 1 != line)
            .map(|(_, line)| format!("{line}\n"))
            .collect();
        assert!(!outline(SESSION).differences(&outline(&text)).is_empty(), "without line {line}");
    }
}

#[test]
fn difference_names_its_path() {
    let difference = differences("\"name\":\"Bash\"", "\"name\":\"Read\"").join("\n");
    assert_eq!(
        difference,
        "Inbound, frame 2: `assistant tool_use name=Read tool-1` instead of `assistant tool_use name=Bash tool-1`, \
         after `control_response ours-1 subtype=success`"
    );
}

/// A request that is repeated until the reply fits counts once.
#[test]
fn repeated_request_stops_at_the_expected_reply() {
    let asked = |id: u32| {
        format!(
            r#"> {{"type":"control_request","request_id":"req_{id}","request":{{"subtype":"s"}}}}
< {{"type":"control_response","response":{{"subtype":"success","request_id":"req_{id}"}}}}
"#
        )
    };
    let once = outline(&format!("# agentwire-transcript 1\n{}", asked(1)));
    let thrice = outline(&format!("# agentwire-transcript 1\n{}{}{}", asked(1), asked(2), asked(3)));
    assert_eq!(once.differences(&thrice), [""; 0]);
}
