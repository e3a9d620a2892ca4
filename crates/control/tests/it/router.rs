//! The router's guarantees, one by one, with a clock that the test advances.

use std::time::Duration;

use agentwire_control::{ControlError, PromptState, RouterEvent, SessionExit};
use agentwire_protocol::{
    RawJson,
    control::{ErrorCode, Interrupt},
    message::UserInput,
};
use agentwire_transport::ExitReport;

use crate::script::{
    ERROR_RESULT, INIT, ONE, RESULT, Script, TWO, cancel, inbound, lifecycle, state, success, task,
};

fn check(script: &mut Script, events: &[&str]) {
    assert_eq!(script.events(), events);
}

fn ok() -> Result<RawJson, String> {
    Ok(RawJson::empty_object())
}

#[test]
fn a_call_is_written_and_answered_by_its_own_reply() {
    let mut script = Script::default();
    let (one, two) = (script.call(), script.call());
    assert_ne!(one, two);
    let sent = script.sent();
    assert_eq!(sent[0], r#"{"type":"control_request","request_id":"req_1","request":{"subtype":"ask"}}"#);
    script.line(&success(two.as_str(), r#"{"n":1.10}"#)).line(&success(one.as_str(), "null"));
    check(&mut script, &[r#"answered req_2 {"n":1.10}"#, "answered req_1 {}"]);
    assert_eq!(script.router.open(), (0, 0));
}

#[test]
fn unmatched_replies_are_only_counted() {
    let mut script = Script::default();
    let id = script.call();
    script.line(&success(id.as_str(), "{}")).line(&success(id.as_str(), r#"{"again":1}"#));
    script.line(&success("req_99", "{}")).line(r#"{"type":"control_response"}"#);
    check(&mut script, &["answered req_1 {}"]);
    assert_eq!(script.router.ignored().responses, 3);
    let late = script.call();
    script.wait(11).line(&success(late.as_str(), "{}"));
    check(&mut script, &["failed req_2 TimedOut"]);
    assert_eq!(script.router.ignored().responses, 4);
}

#[test]
fn error_replies_and_odd_replies_fail_the_call() {
    let replies = [
        (r#"{"subtype":"error","request_id":"ID","error":"no"}"#, "Rejected"),
        (r#"{"subtype":"error","request_id":"ID"}"#, "Rejected"),
        (r#"{"subtype":"maybe","request_id":"ID"}"#, "UnknownReply"),
        (r#"{"request_id":"ID"}"#, "UnknownReply"),
        (r#"{"subtype":"error","request_id":"ID","error":7}"#, "BadReply"),
        (r#"{"subtype":"success","request_id":"ID","response":"#, "BadReply"),
    ];
    for (reply, error) in replies {
        let mut script = Script::default();
        let id = script.call();
        let reply = reply.replace("ID", id.as_str());
        script.line(&format!(r#"{{"type":"control_response","response":{reply}}}"#));
        check(&mut script, &[&format!("failed {id} {error}")]);
    }
    let mut script = Script::default();
    script.call();
    script.line(r#"{"type":"control_response","request_id":"req_1"}"#);
    check(&mut script, &["failed req_1 BadReply"]);
}

#[test]
fn the_clis_own_text_and_code_are_kept() {
    let mut script = Script::default();
    let id = script.call();
    let reply = r#"{"type":"control_response","response":{"subtype":"error","request_id":"req_1","error":"Unsupported","error_code":"unsupported_request"}}"#;
    script.line(reply);
    let Some(RouterEvent::Answered {
        id: answered,
        reply: Err(ControlError::Rejected { subtype, message, code, .. }),
    }) = script.router.poll_event()
    else {
        panic!("no answer")
    };
    assert_eq!(
        (answered, &*subtype, &*message, code),
        (id, "ask", "Unsupported", Some(ErrorCode::UnsupportedRequest))
    );
}

#[test]
fn each_call_times_out_on_its_own_and_is_cancelled() {
    let mut script = Script::default();
    assert_eq!(script.router.poll_timeout(), None);
    script.call();
    script.wait(5).call();
    script.sent();
    assert_eq!(script.router.poll_timeout(), Some(Duration::from_secs(10)));
    check(script.wait(4), &[]);
    check(script.wait(1), &["failed req_1 TimedOut"]);
    assert_eq!(script.sent(), [cancel("req_1")]);
    assert_eq!(script.router.poll_timeout(), Some(Duration::from_secs(15)));
    check(script.wait(100), &["failed req_2 TimedOut"]);
    assert_eq!(script.router.poll_timeout(), None);
}

#[test]
fn time_limit_of_any_length_is_accepted() {
    let mut script = Script::default();
    let request = RawJson::parse(r#"{"subtype":"ask"}"#).unwrap();
    script.wait(1);
    script.router.call_raw(script.now, Duration::MAX, "ask", &request);
    assert_eq!(script.router.poll_timeout(), Some(Duration::MAX));
    script.router.call_raw(script.now, Duration::ZERO, "ask", &request);
    check(script.wait(0), &["failed req_2 TimedOut"]);
}

#[test]
fn cancelled_call_ends_and_the_cli_gets_a_cancellation() {
    let mut script = Script::default();
    let id = script.call();
    script.sent();
    script.router.cancel(&id);
    script.router.cancel(&id);
    script.line(&success("req_1", "{}"));
    check(&mut script, &["failed req_1 Cancelled"]);
    assert_eq!(script.sent(), [cancel("req_1")]);
}

#[test]
fn session_end_fails_all_calls_and_no_event_follows() {
    let mut script = Script::default();
    script.call();
    script.call();
    script.line(&inbound("a")).line(&inbound("b"));
    script.events();
    script.end();
    let events = [
        "failed req_1 Closed",
        "failed req_2 Closed",
        "cancelled a",
        "cancelled b",
        "closed the session ended",
    ];
    check(&mut script, &events);
    assert_eq!(script.sent(), [""; 0]);
    script.line(r#"{"type":"x"}"#).line(&inbound("c")).too_long(RESULT).wait(100).end();
    assert!(script.router.answer(&"a".into(), ok()).is_err());
    check(&mut script, &[]);
    assert_eq!(script.router.ignored().after_end, 3);
    script.call();
    check(&mut script, &["failed req_3 Closed"]);
    assert!(matches!(script.router.send_user(&UserInput::new("x")), Err(ControlError::Closed { .. })));
    assert!(matches!(script.router.send_line("{}\n".into()), Err(ControlError::Closed { .. })));
    assert_eq!((script.router.transmit_bytes(), script.router.open()), (0, (0, 0)));
}

#[test]
fn a_request_is_answered_once() {
    let mut script = Script::default();
    script.line(&inbound("a"));
    check(&mut script, &["inbound a new_thing"]);
    assert_eq!(script.router.answer(&"a".into(), ok()), Ok(()));
    assert!(script.router.answer(&"a".into(), ok()).is_err());
    assert!(script.router.answer(&"never".into(), ok()).is_err());
    assert_eq!(script.sent(), [success("a", "{}")]);
    script.line(&inbound("a"));
    check(&mut script, &["inbound a new_thing"]);
    assert_eq!(script.router.answer(&"a".into(), Err("no \"thanks\"\n".to_owned())), Ok(()));
    assert!(script.sent()[0].contains(r#""subtype":"error","request_id":"a","error":"no \"thanks\"\n""#));
}

#[test]
fn cancelled_request_is_not_answered() {
    let mut script = Script::default();
    script.line(&inbound("a")).line(&cancel("a")).line(&cancel("a")).line(&cancel("never"));
    check(&mut script, &["inbound a new_thing", "cancelled a"]);
    assert!(script.router.answer(&"a".into(), ok()).is_err());
    assert_eq!(script.sent(), [""; 0]);
    assert_eq!(script.router.ignored().cancels, 2);
}

#[test]
fn a_second_request_with_an_open_id_gets_no_answer_of_its_own() {
    let mut script = Script::default();
    let broken = r#"{"type":"control_request","request_id":"a","request":7}"#;
    script.line(&inbound("a")).line(&inbound("a")).line(broken).too_long(&broken[..50]);
    assert_eq!(script.sent(), [""; 0]);
    let events = ["inbound a new_thing", &format!("undecodable {broken}"), "too long request"];
    check(&mut script, &events);
    assert_eq!(script.router.ignored().duplicate_requests, 3);
    assert_eq!(script.router.answer(&"a".into(), ok()), Ok(()));
    assert_eq!(script.sent().len(), 1);
}

#[test]
fn requests_that_the_reply_lists_as_unanswered_are_opened() {
    let mut script = Script::default();
    script.line(&inbound("a")).call();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(inbound);
    let lists = format!(
        r#""pending_permission_requests":[{a},{b}],"pending_user_dialog_requests":[{c}],"pending_elicitation_requests":[{d}]"#
    );
    script.line(&success("req_1", "{}").replacen("}}", &format!("}},{lists}}}"), 1));
    let opened = ["inbound b new_thing", "inbound c new_thing", "inbound d new_thing"];
    check(&mut script, &[&["inbound a new_thing", "answered req_1 {}"], &opened[..]].concat());
    assert_eq!(script.router.answer(&"d".into(), ok()), Ok(()));
}

#[test]
fn listed_request_that_cant_be_read_is_refused_alone() {
    let mut script = Script::default();
    script.call();
    let broken = r#"{"type":"control_request","request_id":"a","request":{"subtype":"can_use_tool"}}"#;
    let lists = format!(r#""pending_permission_requests":[{broken},{}]"#, inbound("b"));
    script.line(&success("req_1", "{}").replacen("}}", &format!("}},{lists}}}"), 1));
    check(&mut script, &["answered req_1 {}", &format!("undecodable {broken}"), "inbound b new_thing"]);
}

#[test]
fn a_request_that_cant_be_read_is_refused_and_shown() {
    let mut script = Script::default();
    let broken = r#"{"type":"control_request","request_id":"a","request":{"subtype":"can_use_tool"}}"#;
    let no_id = r#"{"type":"control_request","request":{"subtype":"x"}}"#;
    script.line(broken).line(no_id);
    check(&mut script, &[&format!("undecodable {broken}"), &format!("undecodable {no_id}")]);
    let sent = script.sent();
    assert_eq!(sent.len(), 1);
    assert!(
        sent[0].contains(r#""subtype":"error","request_id":"a","error":"the request can't be read"#),
        "{sent:?}"
    );
    assert_eq!(script.router.open(), (0, 0));
}

#[test]
fn over_long_lines_leave_no_call_waiting() {
    let mut script = Script::default();
    script.call();
    script.router.send_user(&UserInput::new("x")).unwrap();
    script.sent();
    script.too_long(r#"{"type":"control_response","response":{"request_id":"req_1","#);
    script.too_long(r#"{"type":"control_request","request_id":"a","#);
    script.too_long(r#"{"type":"control_response","response":{"#);
    script.too_long(r#"{"type":"assistant","#);
    script.too_long(r#"{"type":"result","#);
    let events = [
        "failed req_1 TooLong",
        "too long response",
        "too long request",
        "too long response",
        "too long other",
        "too long result",
        "turn ended Unreadable",
        "run over",
    ];
    check(&mut script, &events);
    let sent = script.sent();
    assert!(sent[0].contains(r#""subtype":"error","request_id":"a""#) && sent.len() == 1, "{sent:?}");
    check(script.end(), &["closed the session ended"]);
}

#[test]
fn messages_keep_the_order_of_their_lines_and_control_frames_are_not_shown() {
    let mut script = Script::default();
    script.call();
    script
        .line(r#"{"type":"n1"}"#)
        .line("noise")
        .line(&success("req_1", "{}"))
        .line(r#"{"type":"assistant"}"#);
    script.line(&cancel("a")).line(&inbound("a")).line(r#"{"type":"n2"}"#);
    let events = [
        r#"message {"type":"n1"}"#,
        "noise noise",
        "answered req_1 {}",
        r#"undecodable {"type":"assistant"}"#,
        "inbound a new_thing",
        r#"message {"type":"n2"}"#,
    ];
    check(&mut script, &events);
}

#[test]
fn a_result_ends_a_turn_and_the_run_only_when_nothing_runs() {
    let mut script = Script::default();
    assert!(!script.router.run_is_over());
    script.router.send_user(&UserInput::new("x")).unwrap();
    script.line(&state("running")).events();
    script.line(RESULT);
    check(&mut script, &[&format!("message {RESULT}"), "turn ended Result"]);
    assert!(!script.router.run_is_over());
    let idle = state("idle");
    script.line(&idle).line(&idle);
    check(&mut script, &[&format!("message {idle}"), "run over", &format!("message {idle}")]);
    assert!(script.router.run_is_over());
    let running = state("running");
    script.line(&running).line(RESULT).line(&idle);
    let events = script.events();
    assert_eq!(events.iter().filter(|event| *event == "run over").count(), 1, "{events:?}");
    assert_eq!(events.last().unwrap(), "run over");
}

#[test]
fn without_states_a_run_is_over_at_the_result_of_its_prompt() {
    let mut script = Script::prompted();
    script.line(RESULT);
    check(&mut script, &[&format!("message {RESULT}"), "turn ended Result", "run over"]);
    script.router.send_user(&UserInput::new("y")).unwrap();
    assert!(!script.router.run_is_over());
    script.line(RESULT);
    check(&mut script, &[&format!("message {RESULT}"), "turn ended Result", "run over"]);
}

#[test]
fn a_result_that_cant_be_read_ends_its_turn() {
    let mut script = Script::prompted();
    let broken = r#"{"duration_api_ms":1,"type":"result","is_error":"?"}"#;
    script.line(broken).end();
    let events =
        [&format!("undecodable {broken}"), "turn ended Unreadable", "run over", "closed the session ended"];
    check(&mut script, &events);
}

#[test]
fn a_turn_without_a_result_ends_when_the_cli_goes_idle() {
    let (running, idle) = (state("running"), state("idle"));
    let mut script = Script::prompted();
    // The CLI was idle before the prompt, and may report that late.
    script.line(&idle);
    check(&mut script, &[&format!("message {idle}")]);
    script.line(&running).line(INIT).line(&idle);
    let events = [&running, INIT, &idle].map(|line| format!("message {line}"));
    let events: Vec<&str> =
        events.iter().map(String::as_str).chain(["turn ended Missing", "run over"]).collect();
    check(&mut script, &events);
    assert!(script.router.is_idle());
    // A turn also begins with a receipt, as a prompt that is started again.
    let started = lifecycle("again", "started");
    script.line(&running).line(&started).line(&idle);
    let events = [&running, &started, &idle].map(|line| format!("message {line}"));
    let events: Vec<&str> =
        events.iter().map(String::as_str).chain(["turn ended Missing", "run over"]).collect();
    check(&mut script, &events);
    check(script.end(), &["closed the session ended"]);
}

#[test]
fn a_result_with_a_field_that_does_not_fit_ends_its_turn() {
    for field in [
        r#""is_error":0"#,
        r#""is_error":false,"is_error":false"#,
        r#""is_error":false,"duration_ms":{"total":1}"#,
        r#""is_error":false,"modelUsage":null"#,
        r#""is_error":false,"user_message_uuids":7,"origin":[]"#,
        r#""is_error":false,"type":null,"type":"result""#,
    ] {
        let mut script = Script::prompted();
        let line = format!(r#"{{"subtype":"success","result":"text",{field},"type":"result"}}"#);
        script.line(&line);
        check(&mut script, &[&format!("message {line}"), "turn ended Result", "run over"]);
    }
}

#[test]
fn truncated_result_does_not_end_a_turn() {
    for half in [r#"{"type":"result","is_err"#, r#"{"duration_ms":1,"subtype":"success","is_er"#] {
        let mut script = Script::prompted();
        script.last_line(half);
        let ended = "closed the session ended in the middle of a turn, which has no result";
        check(script.end(), &[&format!("undecodable {half}"), "turn ended NoResult", ended]);
    }
    // A complete `result` without its newline does.
    let mut script = Script::prompted();
    script.last_line(RESULT);
    let events = [&*format!("message {RESULT}"), "turn ended Result", "run over", "closed the session ended"];
    check(script.end(), &events);
}

#[test]
fn truncated_reply_leaves_its_call_to_the_end_of_the_session() {
    let half = r#"{"type":"control_response","response":{"subtype":"success","request_id":"req_1","respo"#;
    let mut script = Script::default();
    script.call();
    script.last_line(half).exit(9);
    let ended = "closed the session ended (exit code 9)";
    check(&mut script, &[&format!("undecodable {half}"), "failed req_1 Closed", ended]);
    // A complete reply without its newline is one.
    let mut script = Script::default();
    script.call();
    script.last_line(&success("req_1", "{}")).exit(9);
    check(&mut script, &["answered req_1 {}", ended]);
}

/// After two queued prompts, the result of the first does not hide that the session ended in the turn of the second.
#[test]
fn session_end_cuts_a_running_turn() {
    let mut script = Script::prompted();
    script.router.send_user(&UserInput::new("y")).unwrap();
    script.line(INIT).line(RESULT);
    let events = [&format!("message {INIT}"), &format!("message {RESULT}"), "turn ended Result", "run over"];
    check(&mut script, &events);
    script.line(INIT);
    assert!(!script.router.is_idle() && !script.router.run_is_over());
    check(&mut script, &[&format!("message {INIT}")]);
    script.exit(0);
    let closed = "closed the session ended in the middle of a turn, which has no result (exit code 0)";
    check(&mut script, &["turn ended NoResult", closed]);
}

#[test]
fn the_run_is_over_again_after_each_turn_that_began_by_itself() {
    let mut script = Script::prompted();
    script.line(INIT).line(RESULT).events();
    script.line(INIT).line(RESULT);
    let events = [&format!("message {INIT}"), &format!("message {RESULT}"), "turn ended Result", "run over"];
    check(&mut script, &events);
    check(script.end(), &["closed the session ended"]);
}

#[test]
fn session_end_reports_a_turn_without_a_result() {
    let running = state("running");
    let cut = |code| {
        let closed = format!(
            "closed the session ended in the middle of a turn, which has no result (exit code {code})"
        );
        vec!["turn ended NoResult".to_owned(), closed]
    };
    for (lines, code, events) in [
        (&[][..], 0, cut(0)),
        // The error result belongs to the turn before, and is not the cause of the end.
        (&[ERROR_RESULT, INIT], 9, cut(9)),
        // A CLI that reports `running` and never `idle` did not end in a turn if that has its result.
        (&[&*running, INIT, RESULT], 0, vec!["closed the session ended (exit code 0)".to_owned()]),
    ] {
        let mut script = Script::prompted();
        for line in lines {
            script.line(line);
        }
        script.events();
        script.exit(code);
        assert_eq!(script.events(), events);
    }
}

#[test]
fn error_result_outranks_the_exit_code() {
    let ending = |lines: &[&str]| {
        let mut script = Script::default();
        script.call();
        for line in lines {
            script.line(line);
        }
        script.exit(1);
        let events: Vec<_> = std::iter::from_fn(|| script.router.poll_event()).collect();
        assert!(matches!(events.last(), Some(RouterEvent::Closed(_))));
        events
            .into_iter()
            .find_map(|event| match event {
                RouterEvent::Answered { reply: Err(ControlError::Closed { ending, .. }), .. } => Some(ending),
                _ => None,
            })
            .unwrap()
    };
    let refused = ending(&[ERROR_RESULT]);
    assert_eq!(refused.to_string(), "No such session (exit code 1)");
    let mut repeated = (*refused).clone();
    repeated.exit = Some(ExitReport::exited(1).with_stderr_tail("Error: No such session\n"));
    assert_eq!(repeated.to_string(), refused.to_string());
    repeated.exit = Some(ExitReport::exited(1).with_stderr_tail("a warning\nError: No such session\n"));
    assert_eq!(repeated.to_string(), "No such session (exit code 1, stderr: a warning)");
    repeated.exit = Some(ExitReport::exited(1).with_stderr_tail("No such session: was it deleted?\n"));
    assert_eq!(
        repeated.to_string(),
        "No such session (exit code 1, stderr: No such session: was it deleted?)"
    );
    assert!(!refused.is_clean());
    let user = r#"{"type":"user","message":{"role":"user","content":"x"}}"#;
    assert_eq!(ending(&[ERROR_RESULT, user]).to_string(), "the session ended (exit code 1)");
    assert_eq!(ending(&[ERROR_RESULT, RESULT]).error_result, None);
}

#[test]
fn after_the_end_of_input_queued_lines_are_written_and_new_ones_refused() {
    let mut script = Script::default();
    let id = script.call();
    script.call();
    script.line(&inbound("a")).events();
    script.router.end_input();
    assert!(!script.router.input_is_open());
    script.call();
    check(&mut script, &["cancelled a", "failed req_3 InputEnded"]);
    assert!(matches!(script.router.send_user(&UserInput::new("x")), Err(ControlError::InputEnded { .. })));
    assert!(script.router.answer(&"a".into(), ok()).is_err());
    script.router.cancel(&id);
    check(&mut script, &["failed req_1 Cancelled"]);
    let sent = script.sent();
    assert_eq!(sent.len(), 2);
    // The open request got an answer.
    assert!(sent[1].contains(r#""subtype":"error","request_id":"a""#), "{}", sent[1]);
}

#[test]
fn input_that_ends_when_idle_takes_answers_until_then() {
    let mut script = Script::prompted();
    script.line(&inbound("a"));
    script.router.refuse_open(|_| ok());
    script.router.end_input_when_idle();
    script.line(&inbound("b"));
    check(&mut script, &["inbound a new_thing", "cancelled a", "inbound b new_thing"]);
    assert!(script.router.is_ending() && script.router.input_is_open());
    assert!(matches!(script.router.send_user(&UserInput::new("x")), Err(ControlError::InputEnded { .. })));
    script.router.answer(&"b".into(), ok()).unwrap();
    script.line(RESULT).line(&inbound("c"));
    assert!(!script.router.input_is_open() && !script.router.is_ending());
    assert!(script.router.answer(&"c".into(), ok()).is_err());
    let answered = |line: &String| line.contains("control_response");
    assert_eq!(script.sent().iter().filter(|line| answered(line)).count(), 2);
}

#[test]
fn started_prompt_keeps_a_run_from_seeming_over() {
    let mut script = Script::default();
    script
        .prompt(ONE)
        .prompt(TWO)
        .line(&lifecycle(TWO, "queued"))
        .line(&lifecycle(ONE, "started"))
        .line(INIT);
    script.router.end_input_when_idle();
    script.line(RESULT).line(&lifecycle(ONE, "completed")).line(&lifecycle(TWO, "started"));
    // A slow hook may run before the turn's `system/init`.
    assert!(script.router.is_ending() && !script.router.seems_over());
    script.line(INIT).line(RESULT).line(&lifecycle(TWO, "completed"));
    assert!(!script.router.input_is_open());
}

#[test]
fn run_is_not_over_while_a_prompt_waits() {
    let over = "run over".to_owned();
    let first_turn = || {
        let mut script = Script::default();
        script.prompt(ONE).line(&lifecycle(ONE, "started")).line(&state("running")).line(INIT);
        // The CLI has not read this prompt when it ends the turn.
        script.prompt(TWO).line(RESULT).line(&lifecycle(ONE, "completed")).line(&state("idle"));
        assert!(!script.router.is_idle() && !script.events().contains(&over));
        script
    };
    let mut answered = first_turn();
    answered.line(&lifecycle(TWO, "queued")).line(&lifecycle(TWO, "started")).line(INIT);
    answered.line(RESULT).line(&lifecycle(TWO, "completed")).line(&state("idle"));
    assert!(answered.router.is_idle() && answered.events().contains(&over));
    // A result that names the prompt answers it too.
    let mut named = first_turn();
    let result = RESULT.replacen('{', &format!(r#"{{"user_message_uuids":["{TWO}"],"#), 1);
    named.line(&state("running")).line(INIT).line(&result).line(&state("idle"));
    assert!(named.router.is_idle() && named.events().contains(&over));
    let mut lost = first_turn();
    lost.exit(0);
    assert!(lost.ending().in_turn);
}

#[test]
fn result_of_a_turn_that_ran_before_a_prompt_does_not_answer_it() {
    let marked = state("running").replacen('{', r#"{"sdk_host_only":true,"#, 1);
    // CLI 2.1.197 sends unmarked states, and may have merged the prompt into the turn.
    for (state, expected) in [(marked, PromptState::Sent), (state("running"), PromptState::Completed)] {
        let mut script = Script::default();
        script.line(&state).line(INIT).prompt(ONE).line(RESULT);
        assert_eq!(script.router.prompt_state(&ONE.into()), Some(expected), "{state}");
        script.line(INIT).line(RESULT);
        assert_eq!(script.router.prompt_state(&ONE.into()), Some(PromptState::Completed), "{state}");
    }
}

#[test]
fn input_that_ends_when_idle_waits_for_prompts_behind_a_result() {
    // With and without reported states of prompts.
    for reports_states in [true, false] {
        let mut script = Script::default();
        let say = |script: &mut Script, id, state| {
            if reports_states {
                script.line(&lifecycle(id, state));
            }
        };
        for id in [ONE, TWO] {
            script.prompt(id);
            say(&mut script, id, "queued");
        }
        script.router.end_input_when_idle();
        script.line(INIT).line(RESULT);
        say(&mut script, ONE, "completed");
        assert!(script.router.is_idle() && script.router.is_ending(), "{reports_states}");
        script.line(INIT).line(RESULT);
        say(&mut script, TWO, "completed");
        assert!(!script.router.input_is_open(), "{reports_states}");
    }
}

#[test]
fn input_that_ends_when_idle_waits_for_a_prompt_without_an_id() {
    let mut script = Script::default();
    script.prompt(ONE).router.send_user(&UserInput::new("y")).unwrap();
    script.router.end_input_when_idle();
    script.line(INIT).line(RESULT).line(&lifecycle(ONE, "completed"));
    assert!(script.router.is_ending(), "the turn of the other prompt is still to come");
    script.line(INIT).line(RESULT);
    assert!(!script.router.input_is_open());
}

#[test]
fn a_turn_lists_each_of_its_first_prompts_once() {
    let mut script = Script::default();
    for number in (0..1030).chain(0..1030) {
        script.line(&lifecycle(&number.to_string(), "started"));
    }
    let named: Vec<_> = script.router.turn().prompts.iter().map(ToString::to_string).collect();
    let first: Vec<_> = (0..1024).map(|number| number.to_string()).collect();
    assert_eq!(named, first);
}

#[test]
fn interrupt_that_is_not_sent_interrupts_no_turn() {
    for sent in [true, false] {
        let mut script = Script::prompted();
        if !sent {
            script.router.end_input();
        }
        script.router.call(script.now, Duration::from_secs(10), &Interrupt::default());
        script.router.handle_ending(SessionExit::default());
        assert_eq!(script.ending().interrupted, sent);
    }
}

#[test]
fn interrupt_between_turns_interrupts_no_later_turn() {
    let mut script = Script::prompted();
    script.line(INIT).line(RESULT);
    script.router.call(script.now, Duration::from_secs(10), &Interrupt::default());
    script.line(INIT).router.handle_ending(SessionExit::default());
    let ending = script.ending();
    assert_eq!((ending.in_turn, ending.interrupted), (true, false));
}

#[test]
fn interrupt_of_the_last_turn_is_known_at_the_end() {
    for sent in [true, false] {
        let mut script = Script::prompted();
        if sent {
            script.router.call(script.now, Duration::from_secs(10), &Interrupt::default());
        }
        let ending = script.line(ERROR_RESULT).end().ending();
        assert_eq!((ending.in_turn, ending.interrupted), (false, sent));
    }
}

#[test]
fn interrupt_before_a_new_prompt_is_known_at_the_end() {
    let mut script = Script::default();
    script.prompt(ONE).line(&state("running")).line(&lifecycle(ONE, "started")).line(INIT);
    script.router.call(script.now, Duration::from_secs(10), &Interrupt::default());
    script.line(&success("req_1", "{}"));
    script.prompt(TWO).line(&lifecycle(TWO, "queued")).line(&lifecycle(TWO, "cancelled"));
    let ending = script.line(ERROR_RESULT).line(&lifecycle(ONE, "completed")).end().ending();
    assert_eq!((ending.in_turn, ending.interrupted), (false, true));
}

#[test]
fn interrupt_at_the_end_of_a_turn_may_abort_that_of_a_waiting_prompt() {
    for waits in [true, false] {
        let mut script = Script::default();
        script.prompt(ONE).line(&state("running")).line(&lifecycle(ONE, "started")).line(INIT);
        if waits {
            script.prompt(TWO).line(&lifecycle(TWO, "queued"));
        }
        script.router.call(script.now, Duration::from_secs(10), &Interrupt::default());
        script.line(RESULT).line(&lifecycle(ONE, "completed"));
        if !waits {
            script.prompt(TWO).line(&lifecycle(TWO, "queued"));
        }
        script.line(&lifecycle(TWO, "started")).line(INIT).line(&success("req_1", "{}"));
        let ending = script.line(ERROR_RESULT).line(&lifecycle(TWO, "completed")).end().ending();
        assert_eq!((ending.in_turn, ending.interrupted), (false, waits));
    }
}

#[test]
fn after_a_broken_input_open_calls_wait_for_the_reply_or_the_end() {
    let mut script = Script::default();
    script.call();
    script.call();
    script.router.handle_broken_input(SessionExit::failed("broken pipe"));
    assert_eq!(script.sent(), [""; 0]);
    script.call();
    assert!(script.router.awaits_ending());
    script.line(&success("req_1", "{}")).line(&inbound("a"));
    check(&mut script, &["answered req_1 {}", "inbound a new_thing"]);
    assert!(script.router.answer(&"a".into(), ok()).is_err());
    script.line(ERROR_RESULT).end();
    let events = [
        &format!("message {ERROR_RESULT}"),
        "turn ended Result",
        "run over",
        "failed req_2 Closed",
        "failed req_3 Closed",
        "closed No such session",
    ];
    check(&mut script, &events);
    assert_eq!(script.router.transmit_bytes(), 0);
    assert!(!script.router.awaits_ending());
}

#[test]
fn fail_pending_after_a_broken_input_fails_open_and_later_calls() {
    let mut script = Script::default();
    script.router.fail_pending();
    script.call();
    script.router.handle_broken_input(SessionExit::failed("broken pipe"));
    check(&mut script, &[]);
    script.router.fail_pending();
    assert!(!script.router.awaits_ending());
    script.call();
    check(&mut script, &["failed req_1 Closed", "failed req_2 Closed"]);
    assert!(matches!(script.router.send_user(&UserInput::new("x")), Err(ControlError::Closed { .. })));
}

#[test]
fn prompt_or_answer_that_a_broken_input_loses_is_known() {
    let lost = |mut script: Script, steps: fn(&mut Script)| {
        steps(&mut script);
        assert!(!script.router.line_was_lost());
        script.router.handle_broken_input(SessionExit::failed("broken pipe"));
        script.router.line_was_lost()
    };
    assert!(lost(Script::prompted(), |_| {}));
    assert!(lost(Script::prompted(), |script| _ = script.sent()));
    assert!(!lost(Script::default(), |_| {}));
    assert!(!lost(Script::prompted(), |script| {
        script.call();
        script.sent();
    }));
    assert!(lost(Script::default(), |script| {
        script.line(&inbound("a"));
        script.router.answer(&"a".into(), Ok(RawJson::empty_object())).unwrap();
    }));
    let later: [fn(&mut Script); 3] = [
        |script| _ = script.router.answer(&"a".into(), Ok(RawJson::empty_object())).unwrap_err(),
        |script| script.router.refuse_open(|_| Err("the input is closed".to_owned())),
        |script| _ = script.line(r#"{"type":"control_request","request_id":"b","request":7}"#),
    ];
    for answer in later {
        let mut script = Script::default();
        script.line(&inbound("a"));
        script.router.handle_broken_input(SessionExit::failed("broken pipe"));
        assert!(!script.router.line_was_lost());
        answer(&mut script);
        assert!(script.router.line_was_lost());
    }
}

#[test]
fn cancelled_call_that_is_still_queued_is_not_written() {
    let mut script = Script::default();
    let id = script.call();
    script.call();
    script.router.cancel(&id);
    assert_eq!(script.sent().len(), 1);
    script.call();
    script.wait(10);
    assert_eq!(script.sent(), [cancel("req_2")]);
    assert_eq!(script.router.transmit_bytes(), 0);
    check(&mut script, &["failed req_1 Cancelled", "failed req_2 TimedOut", "failed req_3 TimedOut"]);
}

#[test]
fn a_request_that_cant_be_written_fails_and_leaves_nothing() {
    #[derive(serde::Serialize)]
    struct Odd(#[serde(serialize_with = "odd")] ());
    fn odd<S: serde::Serializer>((): &(), _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("odd"))
    }
    #[derive(serde::Serialize)]
    struct Call {
        odd: Odd,
    }
    impl agentwire_protocol::control::ControlCall for Call {
        const SUBTYPE: &'static str = "odd";
        type Reply = agentwire_protocol::control::Ack;
    }
    let mut script = Script::default();
    script.router.call(script.now, Duration::from_secs(1), &Call { odd: Odd(()) });
    check(&mut script, &["failed req_1 Encode"]);
    assert_eq!((script.sent().len(), script.router.open()), (0, (0, 0)));
}

#[test]
fn queued_and_inbound_bytes_are_counted() {
    let mut script = Script::default();
    assert_eq!((script.router.transmit_bytes(), script.router.inbound_bytes()), (0, 0));
    script.line(&inbound("a")).line(&inbound("b")).line(&cancel("b"));
    let open = script.router.inbound_bytes();
    assert!(open > inbound("a").len());
    script.router.answer(&"a".into(), ok()).unwrap();
    let answer = success("a", "{}").len() + 1;
    let held = script.router.answer_bytes();
    assert!(held > answer);
    assert_eq!((script.router.transmit_bytes(), script.router.inbound_bytes()), (answer, held));
    script.call();
    assert!(script.router.transmit_bytes() > answer);
    assert_eq!((script.router.inbound_bytes(), script.router.answer_bytes()), (held, held));
    script.sent();
    assert_eq!((script.router.transmit_bytes(), script.router.inbound_bytes()), (0, 0));
}

#[test]
fn cli_without_session_states_is_busy_while_agents_run() {
    let agents =
        |list: &str| format!(r#"{{"type":"system","subtype":"background_tasks_changed","tasks":[{list}]}}"#);
    let listed = |kind: &str| format!(r#"{{"task_id":"t","task_type":"{kind}","description":"d"}}"#);
    let mut script = Script::prompted();
    script.line(&agents(&listed("local_agent"))).line(RESULT).events();
    assert!(!script.router.run_is_over());
    // The agent has ended, and the CLI is about to report it to the model.
    script.line(&agents("")).events();
    assert!(!script.router.run_is_over());
    script.line(INIT).line(RESULT);
    assert!(script.events().contains(&"run over".to_owned()));
    // A shell sends no requests.
    script.router.send_user(&UserInput::new("hi")).unwrap();
    script.line(&agents(&listed("local_bash"))).line(RESULT).events();
    assert!(script.router.run_is_over());
}

#[test]
fn cli_without_a_list_of_tasks_is_busy_while_an_agent_runs() {
    let started = |kind: &str| task("task_started", &format!(r#""task_type":"{kind}""#));
    let ended = task("task_notification", r#""status":"completed","output_file":"","summary":"s""#);
    for kind in ["local_agent", "local_workflow"] {
        let mut script = Script::prompted();
        script.line(&started(kind)).line(RESULT).events();
        assert!(!script.router.run_is_over());
        script.line(&ended).events();
        assert!(!script.router.run_is_over(), "the CLI is about to report the end to the model");
        script.line(INIT).line(RESULT);
        assert!(script.events().contains(&"run over".to_owned()));
    }
}

#[test]
fn agent_whose_end_a_running_turn_takes_notice_of_holds_the_run_no_longer() {
    let mut script = Script::prompted();
    script.line(&task("task_started", r#""task_type":"local_agent""#));
    // CLI 2.1.197 sends no notification then.
    script.line(&task("task_updated", r#""patch":{"status":"completed"}"#)).line(RESULT);
    assert!(script.events().contains(&"run over".to_owned()));
    assert!(script.router.may_end_input());
}

#[test]
fn guarded_input_stays_open_until_the_end_of_a_task_is_reported() {
    let started = task("task_started", r#""task_type":"local_bash""#);
    let ended = |status: &str| {
        task("task_notification", &format!(r#""status":"{status}","output_file":"","summary":"s""#))
    };
    let ending = || {
        let mut script = Script::prompted();
        script.line(&started).line(RESULT).events();
        script.router.end_input_when_idle();
        assert!(script.router.is_ending() && !script.router.seems_over());
        script
    };
    // A hook of the settings may run before the turn that reports the end.
    let mut script = ending();
    script.line(&ended("completed")).events();
    assert!(script.router.is_ending() && !script.router.seems_over());
    script.line(INIT).line(RESULT).events();
    assert!(!script.router.is_ending());
    // A stopped shell causes no turn.
    let mut script = ending();
    script.line(&ended("stopped")).events();
    assert!(!script.router.is_ending());
    // Nor does a task that nothing waits for.
    let mut script = Script::prompted();
    script.line(&task("task_started", r#""task_type":"monitor","ambient":true"#)).line(RESULT).events();
    assert!(script.router.may_end_input());
}

#[test]
fn task_that_ends_in_a_turn_is_reported_before_the_cli_is_idle() {
    let mut script = Script::prompted();
    script.line(&state("running"));
    script.line(&task("task_started", r#""task_type":"local_bash","is_backgrounded":true"#));
    script.line(&task("task_notification", r#""status":"completed","output_file":"","summary":"s""#));
    script.line(RESULT).events();
    script.router.end_input_when_idle();
    assert!(!script.router.seems_over(), "a hook of the settings delays the turn");
    script.line(INIT).line(RESULT).line(&state("idle")).events();
    assert!(!script.router.is_ending());
}

#[test]
fn settled_prompt_that_is_sent_again_awaits_no_result() {
    let started = lifecycle(ONE, "started");
    for (lines, end) in [
        (vec![&*started, INIT, RESULT], "completed"),
        (vec![&*started, INIT, ERROR_RESULT], "cancelled"),
        (vec![], "cancelled"),
    ] {
        let mut script = Script::default();
        script.prompt(ONE);
        for line in lines {
            script.line(line);
        }
        script.line(&lifecycle(ONE, end)).events();
        assert!(script.router.run_is_over());
        script.prompt(ONE);
        assert!(script.router.run_is_over(), "the CLI ignores it: {end}");
    }
}

#[test]
fn prompt_that_is_sent_again_is_counted_once() {
    // A CLI that reports no states may end its input after one result for each prompt.
    let mut script = Script::default();
    script.prompt(ONE).prompt(ONE).line(INIT).line(RESULT).events();
    assert!(script.router.may_end_input());
}

#[test]
fn session_end_by_an_error_result_contains_its_kind() {
    let failed = r#"{"type":"assistant","message":{"id":"m","model":"m","content":[]},"parent_tool_use_id":null,"error":"authentication_failed"}"#;
    let mut script = Script::default();
    script.line(failed).line(ERROR_RESULT).end();
    let ending = script.ending();
    assert_eq!(ending.error_kind.as_ref().unwrap().as_str(), "authentication_failed");
    // An error that a later message follows does not count.
    let mut script = Script::default();
    script.line(failed).line(RESULT).end();
    assert_eq!(script.ending().error_kind, None);
    // Nor does the kind of an earlier turn, if a later one fails without a message of the model.
    let mut script = Script::default();
    script.line(failed).line(ERROR_RESULT).line(INIT).line(ERROR_RESULT).end();
    let ending = script.ending();
    assert!(ending.error_result.is_some());
    assert_eq!(ending.error_kind, None);
}

#[test]
fn prompts_lines_and_own_turns_count_as_work() {
    let mut script = Script::default();
    script.call();
    script.line(&inbound("a")).line(r#"{"type":"news"}"#);
    script.line(&state("idle"));
    assert!(!script.router.was_given_work());
    let mut lined = Script::default();
    lined.router.send_line("{}\n".into()).unwrap();
    let mut begun = Script::default();
    begun.line(INIT);
    let mut running = Script::default();
    running.line(&state("running"));
    for script in [Script::prompted(), lined, begun, running] {
        assert!(script.router.was_given_work());
    }
}
