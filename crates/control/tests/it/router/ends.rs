//! The end of a session, and of its input.

use agentwire_control::{ControlError, RouterEvent, SessionExit};
use agentwire_protocol::{RawJson, message::UserInput};
use agentwire_transport::ExitReport;

use super::{check, ok};
use crate::script::{ERROR_RESULT, INIT, ONE, RESULT, Script, TWO, inbound, lifecycle, state, success};

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
fn session_end_reports_a_turn_without_a_result() {
    let (running, started) = (state("running"), lifecycle(TWO, "started"));
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
        (&[ERROR_RESULT, &*started], 9, cut(9)),
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
