//! The conformance check: real rules on a small session, each corruption found, each mark understood.

mod ours;
mod repeated;

use agentwire_judge::conformance::{Corruption, check, self_test};
use agentwire_testkit::{Splits, Transcript, transcript::Entry};

/// One turn with a hook, a question and a streamed answer, as the CLI sends it.
const SESSION: &str = r#"# agentwire-transcript 1
# cli 2.1.330
$ ["--include-partial-messages"]
> {"type":"control_request","request_id":"r1","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"hookCallbackIds":["h"]}]}}}
< {"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"pid":1}}}
> {"type":"user","message":{"role":"user","content":"hi"},"parent_tool_use_id":null,"session_id":""}
< {"type":"system","subtype":"session_state_changed","state":"running"}
< {"type":"system","subtype":"init","session_id":"s","cwd":"/project","model":"m"}
< {"type":"system","subtype":"status","status":"requesting"}
< {"type":"stream_event","session_id":"s","event":{"type":"message_start","message":{"id":"m1"}}}
< {"type":"stream_event","session_id":"s","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}}
< {"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"one "}}}
< {"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"two"}}}
< {"type":"assistant","session_id":"s","message":{"id":"m1","model":"m","content":[{"type":"text","text":"one two"}]}}
< {"type":"stream_event","session_id":"s","event":{"type":"content_block_stop","index":0}}
< {"type":"stream_event","session_id":"s","event":{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"Bash","input":{}}}}
< {"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"ls\"}"}}}
< {"type":"assistant","session_id":"s","message":{"id":"m1","model":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}
< {"type":"control_request","request_id":"q1","request":{"subtype":"hook_callback","callback_id":"h","input":{"hook_event_name":"PreToolUse"},"tool_use_id":"t"}}
> {"type":"control_response","response":{"subtype":"success","request_id":"q1","response":{}}}
< {"type":"stream_event","session_id":"s","event":{"type":"content_block_stop","index":1}}
< {"type":"stream_event","session_id":"s","event":{"type":"message_delta","delta":{"stop_reason":"tool_use"}}}
< {"type":"stream_event","session_id":"s","event":{"type":"message_stop"}}
< {"type":"system","subtype":"session_state_changed","state":"requires_action"}
< {"type":"control_request","request_id":"q2","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t"}}
> {"type":"control_response","response":{"subtype":"success","request_id":"q2","response":{"behavior":"allow"}}}
< {"type":"system","subtype":"session_state_changed","state":"running"}
< {"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}
< {"type":"result","subtype":"success","is_error":false,"num_turns":2,"session_id":"s","terminal_reason":"completed","result":"one two"}
< {"type":"system","subtype":"session_state_changed","state":"idle"}
| end of input
= exit 0
"#;

fn parse(text: &str) -> Transcript {
    Transcript::parse(text).unwrap()
}

/// Returns what the check finds in this text.
fn findings(text: &str) -> String {
    check(&parse(text), Splits::Lines).to_string()
}

/// Checks the text with a piece of it changed, and expects this finding.
#[track_caller]
fn finds(text: &str, from: &str, to: &str, expected: &str) {
    assert!(text.contains(from), "{from}");
    let found = findings(&text.replacen(from, to, 1));
    assert!(found.contains(expected), "{expected:?} is not in: {found}");
}

/// Checks the session with a piece of its text changed.
#[track_caller]
fn check_changed(from: &str, to: &str, expected: &str) {
    finds(SESSION, from, to, expected);
}

fn line(start: &str) -> &'static str {
    let line = SESSION.lines().find(|line| line.contains(start)).unwrap();
    &SESSION[SESSION.find(line).unwrap()..][..=line.len()]
}

#[test]
fn session_passes_with_every_cut_into_reads() {
    for splits in Splits::SAMPLES.into_iter().chain((3..20).map(Splits::Random)) {
        let report = check(&parse(SESSION), splits);
        assert!(report.is_clean(), "{splits}: {report}");
        assert_eq!((report.inbound, report.outbound), (23, 4));
    }
}

#[test]
fn self_test_finds_each_kind_of_corruption() {
    let test = self_test(&parse(SESSION));
    assert!(test.is_passed(), "{:?}", test.missed);
    assert_eq!(test.found.len(), 15, "{:?}", test.found);
}

#[test]
fn self_test_fails_where_a_corruption_is_not_found() {
    // The message has no `uuid`, so its repetition is not found.
    let test = self_test(&parse("# agentwire-transcript 1\n< {\"type\":\"news\"}\n= exit 0\n"));
    assert!(test.missed.contains(&Corruption::RepeatMessage) && !test.is_passed(), "{test:?}");
}

#[test]
fn finding_names_the_line_of_the_corruption() {
    check_changed(line("\"pid\""), "", "line 4: `initialize` (r1) has no reply");
    check_changed(line("\"pid\""), &line("\"pid\"").repeat(2), "line 6: a second reply to `initialize`");
    check_changed(line("\"behavior\""), "", "`can_use_tool` (q2) has no answer");
    check_changed(line("\"behavior\""), &line("\"behavior\"").repeat(2), "a second answer to `can_use_tool`");
    check_changed(line("\"can_use_tool\""), "", "an answer to q2, which has not been asked");
    check_changed(line("\"num_turns\""), "", "line 8: the turn has no result");
    check_changed(
        ",\"num_turns\":2,\"session_id\":\"s\",\"terminal_reason\":\"completed\",\"result\":\"one two\"}",
        "",
        "it can't be decoded",
    );
    check_changed(
        "\"terminal_reason\":\"completed\"",
        "\"terminal_reason\":1",
        "a part of it can't be decoded",
    );
    check_changed(
        "\"request_id\":\"r1\",\"response\"",
        "\"request_id\":\"r2\",\"response\"",
        "a reply to r2, which nobody has asked",
    );
    check_changed(
        "\"tool_use_id\":\"t\",\"content\"",
        "\"tool_use_id\":\"u\",\"content\"",
        "names u, which no tool use has",
    );
    check_changed("\"callback_id\":\"h\"", "\"callback_id\":\"i\"", "the hook callback i was never declared");
    check_changed(
        "| end of input\n",
        "| end of input\n> {\"type\":\"keep_alive\"}\n",
        "behind the end of our input",
    );
    check_changed("= exit 0\n", "= exit 0\n< {\"type\":\"keep_alive\"}\n", "behind the end of the CLI");
}

#[test]
fn each_broken_rule_of_order_is_found() {
    let swapped = |a: &str, b: &str| {
        let (a, b) = (line(a), line(b));
        (format!("{a}{b}"), format!("{b}{a}"))
    };
    for (first, second, expected) in [
        ("\"running\"", "\"init\"", "a turn starts while the CLI is not `running`"),
        ("\"init\"", "requesting", "a request for an answer comes while no turn is open"),
        ("requesting", "message_start", "the next answer is requested while that of line 9 is open"),
        ("message_start", "content_block_start", "`content_block_start` outside an answer"),
        ("\"one \"", "\"two\"", "the pieces of the block of line 11 are in another order"),
        ("\"one two\"", "content_block_stop", "a whole block comes while it is not open"),
        ("message_delta", "message_stop", "`message_delta` outside an answer"),
        (
            "requires_action",
            "can_use_tool",
            "a permission request comes while the state is not `requires_action`",
        ),
        ("tool_result", "num_turns", "a tool result comes while no turn is open"),
        ("num_turns", "\"idle\"", "the CLI is `idle`, and the turn of line 8 has no result"),
    ] {
        let (from, to) = swapped(first, second);
        check_changed(&from, &to, expected);
    }
}

#[test]
fn marked_faults_are_accepted_and_stale_marks_are_not() {
    let idle = line("\"idle\"");
    for (fault, mark, unmarked) in [
        ("< a stray print\n", "noise", "it is not a JSON object"),
        ("< {\"type\":\"result\"}\n", "undecodable", "it can't be decoded"),
        ("< {\"type\":\"sys\n", "undecodable", "it can't be decoded"),
        (
            "< {\"type\":\"control_request\",\"request\":{\"subtype\":\"x\"}}\n",
            "undecodable",
            "it can't be decoded",
        ),
        (
            "> {\"type\":\"control_request\",\"request_id\":\"z\",\"request\":{\"subtype\":\"x\"}}\n",
            "unanswered",
            "no reply",
        ),
    ] {
        check_changed(idle, &format!("{idle}{fault}"), unmarked);
        let marked = SESSION.replacen(idle, &format!("{idle}# {mark}\n{fault}"), 1);
        let report = check(&parse(&marked), Splits::Lines);
        assert!(report.is_clean(), "{mark}: {report}");
    }
    // A mark that is no longer true is a fault itself.
    check_changed(idle, &format!("# undecodable\n{idle}"), "a comment says that it can't");
}

#[test]
fn unknown_kinds_are_accepted() {
    let more = concat!(
        "< {\"type\":\"from_the_future\",\"state\":\"queued\"}\n",
        "< {\"type\":\"system\",\"subtype\":\"from_the_future\",\"state\":\"idle\"}\n",
        "< {\"type\":\"control_request\",\"request_id\":\"q3\",\"request\":{\"subtype\":\"from_the_future\"}}\n",
        "> {\"type\":\"control_response\",\"response\":{\"subtype\":\"error\",\"request_id\":\"q3\",\"error\":\"what?\"}}\n",
    );
    let session = SESSION.replacen(line("\"num_turns\""), &format!("{more}{}", line("\"num_turns\"")), 1);
    let report = check(&parse(&session), Splits::Every(1));
    assert!(report.is_clean(), "{report}");
}

#[test]
fn bare_capture_is_judged_by_its_output_alone() {
    let output: Vec<_> = SESSION.lines().filter_map(|line| line.strip_prefix("< ")).collect();
    let report = check(&Transcript::from_json_lines(output.join("\n")), Splits::Lines);
    assert!(report.is_clean(), "{report}");
    let cut = output.join("\n").replace("\"num_turns\":2,", "\"num_turns\":");
    let report = check(&Transcript::from_json_lines(cut), Splits::Lines);
    assert!(report.to_string().contains("line 22: it can't be decoded"), "{report}");
}

#[test]
fn refused_start_leaves_requests_unanswered() {
    let text = r#"# agentwire-transcript 1
# cli 2.1.330
$ ["--resume","x"]
> {"type":"control_request","request_id":"r1","request":{"subtype":"initialize"}}
< {"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"errors":["none"]}
= exit 1
"#;
    let mut session = parse(text);
    let report = check(&session, Splits::Lines);
    assert!(report.is_clean(), "{report}");
    session.entries.pop();
    session.entries.push(Entry::End(agentwire_testkit::End::Exit(0)));
    assert!(!check(&session, Splits::Lines).is_clean());
}

#[test]
fn lost_tail_is_found_by_open_requests_and_turns() {
    // Nothing was open, so a missing end alone is no fault.
    let closed = SESSION.replacen("= exit 0\n", "", 1);
    assert!(check(&parse(&closed), Splits::Lines).is_clean());
    let end = "| end of input\n= exit 0\n";
    check_changed(&format!("{}{end}", line("\"idle\"")), "", "the CLI is `running` to the last");
    let behind = |start: &str| SESSION[SESSION.find(line(start)).unwrap() + line(start).len()..].to_owned();
    for (last, expected) in [
        ("\"r1\",\"request\"", "`initialize` (r1) has no reply"),
        ("\"hi\"", "no result follows the prompt, and no end of the CLI is recorded"),
        ("\"init\"", "the turn has no result, and no end of the CLI is recorded"),
        ("\"can_use_tool\"", "`can_use_tool` (q2) has no answer"),
    ] {
        check_changed(&behind(last), "", expected);
    }
}

#[test]
fn empty_transcript_is_a_finding() {
    for nothing in [parse("# agentwire-transcript 1\n"), Transcript::from_json_lines("")] {
        let report = check(&nothing, Splits::Lines);
        assert!(report.to_string().contains("nothing to check"), "{report}");
        assert!(!self_test(&nothing).is_passed());
    }
}

#[test]
fn missing_and_repeated_lines_are_found() {
    for (missing, expected) in [
        ("\"one \"", "the pieces of the block of line 11 lack some of it"),
        ("partial_json", "the pieces of the block of line 16 lack some of it"),
        ("[{\"type\":\"text\",\"text\":\"one two\"}]", "line 11: the block ends, and never comes whole"),
        ("message_delta", "the answer of line 10 ends without a `message_delta`"),
        ("tool_result", "line 28: the turn ends before the result of t of line 18"),
        ("\"init\"", "a result comes while no turn is open"),
        ("requires_action", "a permission request comes while the state is not"),
    ] {
        let line = line(missing);
        let report = check(&parse(&SESSION.replacen(line, "", 1)), Splits::Lines).to_string();
        assert!(report.contains(expected), "{missing}: {report}");
    }
    let piece = line("\"one \"");
    check_changed(piece, &piece.repeat(2), "the pieces of the block of line 11 have one twice");
    check_changed("\"result\":\"one two\"", "\"result\":\"one\"", "the result is not the last text");
    let news = "< {\"type\":\"news\",\"uuid\":\"u\"}\n";
    check_changed("| end", &format!("{}| end", news.repeat(2)), "has the `uuid` of that of line 31");
    let echo = "< {\"type\":\"user\",\"isReplay\":true,\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n";
    let echoed = SESSION.replacen("| end", &format!("{}| end", echo.repeat(2)), 1);
    assert!(check(&parse(&echoed), Splits::Lines).is_clean());
}

#[test]
fn self_test_corrupts_a_bare_capture() {
    let output: Vec<_> = SESSION.lines().filter_map(|line| line.strip_prefix("< ")).collect();
    let test = self_test(&Transcript::from_json_lines(output.join("\n")));
    assert!(test.is_passed(), "{:?}", test.missed);
    for corruption in
        [Corruption::DropResult, Corruption::LoseTail, Corruption::RepeatReply, Corruption::RepeatRequest]
    {
        assert!(test.found.contains(&corruption), "{corruption}");
    }
}
