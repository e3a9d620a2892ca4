//! Which turn an interrupt belongs to.

use std::time::Duration;

use agentwire_control::SessionExit;
use agentwire_protocol::control::Interrupt;

use crate::script::{ERROR_RESULT, INIT, ONE, RESULT, Script, TWO, lifecycle, state, success};

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
