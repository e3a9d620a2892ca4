//! Background tasks and the states of the CLI.

use agentwire_protocol::message::UserInput;

use crate::script::{INIT, RESULT, Script, state, task};

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
