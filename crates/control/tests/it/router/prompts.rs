//! Prompts that wait, start, are answered or are sent again.

use agentwire_control::PromptState;

use crate::script::{ERROR_RESULT, INIT, ONE, RESULT, Script, TWO, inbound, lifecycle, state};

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
