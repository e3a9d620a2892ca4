//! Where a turn and a run end.

use agentwire_protocol::message::UserInput;

use super::check;
use crate::script::{INIT, RESULT, Script, lifecycle, state};

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
fn the_run_is_over_again_after_each_turn_that_began_by_itself() {
    let mut script = Script::prompted();
    script.line(INIT).line(RESULT).events();
    script.line(INIT).line(RESULT);
    let events = [&format!("message {INIT}"), &format!("message {RESULT}"), "turn ended Result", "run over"];
    check(&mut script, &events);
    check(script.end(), &["closed the session ended"]);
}
