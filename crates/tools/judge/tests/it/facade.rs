//! The conformance check through a whole session.

use agentwire_judge::conformance::check_facade;
use agentwire_testkit::{Splits, Transcript};

/// A session of another host, which does not wait for the reply to its handshake and has its own ids.
const SESSION: &str = r#"# agentwire-transcript 1
# cli 2.1.330
$ []
> {"type":"control_request","request_id":"a","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"matcher":"Bash","hookCallbackIds":["cb_1"]}],"FutureEvent":[{"hookCallbackIds":["cb_2","cb_3"]}]}}}
> {"type":"user","message":{"role":"user","content":"hi"},"parent_tool_use_id":null,"session_id":"default"}
< {"type":"control_request","request_id":"m0","request":{"subtype":"mcp_message","server_name":"calc","message":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}}}
> {"type":"control_response","response":{"subtype":"success","request_id":"m0","response":{"mcp_response":{"jsonrpc":"2.0","id":0,"result":{"big":12345678901234567890123,"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"calc","version":"1"}}}}}}
< {"type":"control_response","response":{"subtype":"success","request_id":"a","response":{}}}
< {"type":"system","subtype":"session_state_changed","state":"running"}
< {"type":"control_request","request_id":"m1","request":{"subtype":"mcp_message","server_name":"calc","message":{"jsonrpc":"2.0","method":"notifications/initialized"}}}
> {"type":"control_response","response":{"subtype":"success","request_id":"m1","response":{"mcp_response":{"jsonrpc":"2.0","result":{}}}}}
< {"type":"system","subtype":"init","session_id":"s","cwd":"/project","model":"m"}
< {"type":"control_request","request_id":"q1","request":{"subtype":"hook_callback","callback_id":"cb_3","input":{"hook_event_name":"FutureEvent"}}}
> {"type":"control_response","response":{"subtype":"success","request_id":"q1","response":{"a":1.0}}}
< {"type":"control_request","request_id":"q2","request":{"subtype":"hook_callback","callback_id":"cb_2","input":{"hook_event_name":"FutureEvent"}}}
> {"type":"control_response","response":{"subtype":"error","request_id":"q2","error":"broken"}}
< {"type":"assistant","session_id":"s","message":{"id":"m1","model":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}
< {"type":"control_request","request_id":"q3","request":{"subtype":"from_the_future","x":1}}
> {"type":"control_response","response":{"subtype":"success","request_id":"q3","response":{"y":2}}}
> {"type":"control_request","request_id":"b","request":{"subtype":"mcp_status"}}
< {"type":"control_response","response":{"subtype":"success","request_id":"b","response":{"mcpServers":[]}}}
< {"type":"news","text":"from the future"}
< {"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"s"}
< {"type":"system","subtype":"session_state_changed","state":"idle"}
| end of input
= exit 0
"#;

#[tokio::test]
async fn session_of_another_host_passes() {
    for splits in Splits::SAMPLES {
        let report = check_facade(&Transcript::parse(SESSION).unwrap(), splits).await;
        assert!(report.is_clean(), "{splits}: {report}");
    }
}

#[tokio::test]
async fn session_without_a_handshake_passes() {
    let lines: Vec<_> =
        SESSION.lines().filter(|line| !line.contains("\"a\",") && !line.contains("hook")).collect();
    let without: Vec<_> =
        lines.into_iter().filter(|line| !line.contains("\"q1\"") && !line.contains("\"q2\"")).collect();
    let report = check_facade(&Transcript::parse(without.join("\n") + "\n").unwrap(), Splits::Lines).await;
    assert!(report.is_clean(), "{report}");
}

#[tokio::test]
async fn output_of_the_session_is_compared_with_the_recording() {
    for (from, to, expected) in [
        // The facade reports the recorded exit.
        ("= exit 0", "= exit 7", ""),
        ("\"result\":{\"big\"", "\"result\":{\"bad\"", ""),
        // A request without a recorded answer stays open, and the session waits.
        ("\"request_id\":\"q3\",\"response\"", "\"request_id\":\"q9\",\"response\"", "line 19"),
        // A hook that was never declared can't be called.
        ("\"callback_id\":\"cb_2\"", "\"callback_id\":\"cb_9\"", ""),
        ("\"callback_id\":\"cb_3\"", "\"callback_id\":\"cb_9\"", "line 14"),
        // The input of each known event must be readable.
        ("{\"hook_event_name\":\"FutureEvent\"}", "{\"hook_event_name\":\"Notification\"}", "line 14"),
    ] {
        assert!(SESSION.contains(from), "{from}");
        tokio::time::pause();
        let report =
            check_facade(&Transcript::parse(SESSION.replace(from, to)).unwrap(), Splits::Lines).await;
        tokio::time::resume();
        assert!(report.to_string().contains(expected), "{from}: {report}");
        assert_eq!(report.is_clean(), expected.is_empty(), "{from}: {report}");
    }
}

#[tokio::test]
async fn hooks_of_a_repeated_handshake_are_those_of_the_first() {
    let handshake = SESSION.lines().find(|line| line.contains("\"request_id\":\"a\"")).unwrap();
    let handshake = handshake.replace("\"request_id\":\"a\"", "\"request_id\":\"c\"");
    let more = format!(
        r#"{handshake}
< {{"type":"control_response","response":{{"subtype":"success","request_id":"c","response":{{}}}}}}
< {{"type":"control_request","request_id":"q4","request":{{"subtype":"hook_callback","callback_id":"cb_3","input":{{"hook_event_name":"FutureEvent"}}}}}}
> {{"type":"control_response","response":{{"subtype":"success","request_id":"q4","response":{{"b":1}}}}}}
< {{"type":"news""#
    );
    let session = SESSION.replacen("< {\"type\":\"news\"", &more, 1);
    let report = check_facade(&Transcript::parse(session).unwrap(), Splits::Lines).await;
    assert!(report.is_clean(), "{report}");
}
