//! Tests of the machine: single histories, and a model that checks generated ones.

use agentwire::protocol::RawJson;
use proptest::prelude::*;

use super::*;

const GRACE: Duration = Duration::from_secs(10);
const TTL: Duration = Duration::from_secs(100);

fn question(id: u8, way: Way) -> Question {
    let input = RawJson::encode(&serde_json::json!({"command": id})).unwrap();
    Question::new(format!("toolu_{id}").into(), "Bash", input, way)
}

fn machine() -> Machine {
    Machine::new(GRACE, TTL)
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn answered_question_continues_the_turn() {
    let mut machine = machine();
    assert_eq!(machine.apply(at(0), Event::Start), [Effect::Launch]);
    let asked = question(1, Way::Defer);
    assert_eq!(machine.apply(at(1), Event::Asked(asked.clone())), []);
    let answered = Event::Answered(asked.id.clone(), Answer::allow());
    assert_eq!(machine.apply(at(2), answered.clone()), [Effect::Decide(asked.id, Answer::allow())]);
    assert_eq!(machine.phase(), Phase::Running);
    assert_eq!(machine.apply(at(3), answered), [], "an answer counts once");
    assert_eq!(machine.apply(at(4), Event::Result { deferred: false }), [Effect::Report(Ending::Done)]);
    assert_eq!(machine.apply(at(104), Event::Tick), [Effect::Close]);
    assert_eq!(machine.phase(), Phase::Cold);
}

#[test]
fn single_question_is_deferred_after_the_grace_period() {
    let mut machine = machine();
    machine.apply(at(0), Event::Start);
    let asked = question(1, Way::Defer);
    machine.apply(at(1), Event::Asked(asked.clone()));
    assert_eq!(machine.apply(at(10), Event::Tick), [], "the grace period is not over");
    assert_eq!(machine.apply(at(11), Event::Tick), [Effect::Defer(asked.id.clone())]);
    let late = Event::Answered(asked.id.clone(), Answer::allow());
    assert_eq!(machine.apply(at(11), late), [], "a parked question is answered by the next turn");
    let ended = machine.apply(at(12), Event::Result { deferred: true });
    assert_eq!(ended, [Effect::Close, Effect::Report(Ending::Parked(vec![asked]))]);
}

#[test]
fn several_questions_become_grants() {
    let mut machine = machine();
    machine.apply(at(0), Event::Start);
    machine.apply(at(1), Event::Asked(question(1, Way::Defer)));
    machine.apply(at(2), Event::Asked(question(2, Way::Defer)));
    assert_eq!(machine.apply(at(11), Event::Tick), [Effect::Interrupt]);
    let ended = machine.apply(at(12), Event::Result { deferred: false });
    let both = vec![question(1, Way::Grant), question(2, Way::Grant)];
    assert_eq!(ended, [Effect::Close, Effect::Report(Ending::Parked(both))]);
}

#[test]
fn question_after_a_deferral_is_parked_as_a_grant() {
    let mut machine = machine();
    machine.apply(at(0), Event::Start);
    machine.apply(at(1), Event::Asked(question(1, Way::Defer)));
    machine.apply(at(11), Event::Tick);
    let ended = machine.apply(at(11), Event::Asked(question(2, Way::Defer)));
    let both = vec![question(1, Way::Defer), question(2, Way::Grant)];
    assert_eq!(ended, [Effect::Close, Effect::Report(Ending::Parked(both))]);
}

#[test]
fn question_whose_deferral_is_refused_is_parked_as_a_grant() {
    let mut machine = machine();
    machine.apply(at(0), Event::Start);
    machine.apply(at(0), Event::Asked(question(1, Way::Defer)));
    machine.apply(at(10), Event::Tick);
    let ended = machine.apply(at(11), Event::Result { deferred: false });
    let parked = Ending::Parked(vec![question(1, Way::Grant)]);
    assert_eq!(ended, [Effect::Close, Effect::Report(parked)]);
}

#[test]
fn turn_whose_cli_does_not_go_idle_ends_with_its_process() {
    let mut machine = machine();
    machine.apply(at(0), Event::Start);
    machine.apply(at(1), Event::Asked(question(1, Way::Grant)));
    assert_eq!(machine.apply(at(2), Event::IdleTimeout), [], "a question is open");
    machine.apply(at(3), Event::Answered(question(1, Way::Grant).id, Answer::allow()));
    let ended = machine.apply(at(4), Event::IdleTimeout);
    assert_eq!(ended, [Effect::Close, Effect::Report(Ending::Done)]);
    assert_eq!(machine.phase(), Phase::Cold);
}

#[test]
fn finishing_turn_ends_its_process_and_parks_at_once() {
    let mut machine = machine();
    machine.apply(at(0), Event::Start);
    assert_eq!(machine.apply(at(1), Event::Finish), []);
    let asked = question(1, Way::Defer);
    machine.apply(at(2), Event::Asked(asked.clone()));
    assert_eq!(machine.deadline(), Some(at(2)));
    assert_eq!(machine.clone().apply(at(2), Event::Tick).len(), 1);
    machine.apply(at(2), Event::Answered(asked.id, Answer::allow()));
    machine.apply(at(3), Event::Result { deferred: false });
    assert_eq!(machine.apply(at(3), Event::Tick), [Effect::Close]);
}

#[test]
fn question_outside_of_a_turn_is_refused() {
    let mut machine = machine();
    let refused = |id| Effect::Decide(question(id, Way::Grant).id, Answer::deny(NO_TURN));
    machine.apply(at(0), Event::Start);
    machine.apply(at(1), Event::Asked(question(1, Way::Grant)));
    let ended = machine.apply(at(2), Event::Result { deferred: false });
    assert_eq!(ended, [refused(1), Effect::Report(Ending::Done)], "by a background agent");
    assert_eq!(machine.apply(at(3), Event::Asked(question(2, Way::Grant))), [refused(2)]);
    assert_eq!(machine.phase(), Phase::Idle);
}

fn events() -> impl Strategy<Value = Vec<(u8, Event)>> {
    let way = prop_oneof![Just(Way::Defer), Just(Way::Grant)];
    let event = prop_oneof![
        3 => Just(Event::Start),
        3 => (0..3u8, way).prop_map(|(id, way)| Event::Asked(question(id, way))),
        2 => (0..3u8, any::<bool>()).prop_map(|(id, allow)| {
            let answer = if allow { Answer::allow() } else { Answer::deny("no") };
            Event::Answered(format!("toolu_{id}").into(), answer)
        }),
        1 => (0..3u8).prop_map(|id| Event::Withdrawn(format!("toolu_{id}").into())),
        3 => any::<bool>().prop_map(|deferred| Event::Result { deferred }),
        1 => Just(Event::IdleTimeout),
        1 => Just(Event::Gone),
        1 => Just(Event::Stop),
        1 => Just(Event::Finish),
        1 => Just(Event::Drain),
        1 => Just(Event::Evict),
        5 => Just(Event::Tick),
    ];
    prop::collection::vec((0..20u8, event), 0..60)
}

proptest! {
    /// Each turn is reported once, a process that is closed does nothing, and only an open question is decided.
    #[test]
    fn every_history_is_consistent(events in events()) {
        let mut machine = machine();
        let (mut now, mut live, mut turns) = (Duration::ZERO, false, 0i32);
        for (pause, event) in events {
            now += Duration::from_secs(pause.into());
            let open: Vec<_> = machine.questions().iter().map(|question| question.id.clone()).collect();
            let (was_asking, was_idle) = (machine.phase() == Phase::Asking, machine.phase() == Phase::Idle);
            for effect in machine.apply(now, event) {
                match effect {
                    Effect::Launch => { prop_assert_eq!(turns, 0); turns += 1; live = true; }
                    Effect::Decide(_, Answer::Deny { .. }) if was_idle => prop_assert!(live),
                    Effect::Decide(id, _) | Effect::Defer(id) => {
                        prop_assert!(live && was_asking && open.contains(&id));
                    }
                    Effect::Interrupt => prop_assert!(live && turns == 1),
                    Effect::Close => { prop_assert!(live); live = false; }
                    Effect::Report(ending) => {
                        turns -= 1;
                        prop_assert_eq!(turns, 0);
                        prop_assert_eq!(live, machine.phase() == Phase::Idle, "only an idle process outlives its turn");
                        prop_assert!(!live || ending == Ending::Done);
                        if let Ending::Parked(questions) = ending { prop_assert!(!questions.is_empty()); }
                    }
                }
            }
            prop_assert_eq!(machine.in_turn(), turns == 1);
            prop_assert!(machine.questions().is_empty()
                || matches!(machine.phase(), Phase::Asking | Phase::Parking | Phase::Parked));
            prop_assert!(machine.phase() != Phase::Asking || machine.deadline().is_some());
        }
    }
}
