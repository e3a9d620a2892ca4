//! Which marks each workload has, and what was measured for them.

use agentwire_testkit::bench::{Callback, Open, Phase, Workload, Writes};

use crate::{
    clients::BuiltIn,
    marks::{
        AT_ONCE, Bound, ECHO, FLOOR, FLOOR_TOKIO, HUGE, LINEAR, MANY, MEMORY, ROUND_TRIP, ROUND_TRIP_ECHO,
        START, STREAM, median,
    },
    rounds::Rounds,
    run::Run,
};

/// A mark, and what was measured for it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measured {
    /// What is compared with what.
    pub what: &'static str,
    /// What it must keep.
    pub bound: Bound,
    /// What it is.
    pub value: f64,
    /// Whether it says of the run itself that it is a fair one: it does not count where this is missed.
    pub yardstick: bool,
}

/// What the marks of a workload are compared with, each the median of what the rounds gave.
pub fn measured(rounds: &Rounds) -> Vec<Measured> {
    match rounds.workload() {
        Workload::Callback(_, Open::One) => one(rounds),
        Workload::Callback(callback, Open::Many) => many(rounds, callback),
        Workload::Stream(writes) => stream(rounds, writes),
        // It has none: it shows what a turn costs.
        Workload::Turns => Vec::new(),
        Workload::Huge(_) => vec![mark("time / floor-tokio", HUGE, rounds.ratio(OURS, TOKIO, lap))],
        Workload::Stalled => vec![memory(rounds)],
        Workload::Start => vec![mark("time / floor-tokio", START, rounds.ratio(OURS, TOKIO, start))],
    }
}

fn one(rounds: &Rounds) -> Vec<Measured> {
    let p50 = phase(1, |phase| phase.p50);
    vec![
        yardstick("the yardstick: p50, bare echo / floor", ECHO, rounds.ratio(BARE, LEAST, &p50)),
        mark("p50 one at a time / floor-tokio", ROUND_TRIP, rounds.ratio(OURS, TOKIO, &p50)),
        mark("p50 one at a time / bare echo", ROUND_TRIP_ECHO, rounds.ratio(OURS, BARE, &p50)),
    ]
}

fn many(rounds: &Rounds, callback: Callback) -> Vec<Measured> {
    let rate = |open| phase(open, Phase::rate);
    let of_rates = |of, to| rounds.middle(OURS, |run| rate(of)(run) / rate(to)(run));
    let mut marks = Vec::new();
    if callback == Callback::Hook {
        let ratio = rounds.ratio(OURS, TOKIO, rate(32));
        marks.push(mark("requests a second, 32 at once / floor-tokio", MANY, ratio));
    }
    marks.push(mark("requests a second, 64 at once / one at a time", AT_ONCE, of_rates(64, 1)));
    marks.push(mark("time a request, 64 at once / 8 at once", LINEAR, of_rates(8, 64)));
    marks
}

fn stream(rounds: &Rounds, writes: Writes) -> Vec<Measured> {
    let mut marks = Vec::new();
    if writes == Writes::Blocks {
        let floor = rounds.in_process(|read| read.floor / read.ignored).unwrap_or(f64::NAN);
        marks.push(yardstick("the yardstick: MB/s in process, floor / IgnoredAny", FLOOR, floor));
    }
    let tokio = rounds.ratio(TOKIO, LEAST, messages_a_second);
    marks.push(yardstick("the yardstick: messages/s, floor-tokio / floor", FLOOR_TOKIO, tokio));
    let ours = rounds.ratio(OURS, TOKIO, messages_a_second);
    marks.push(mark("messages/s / floor-tokio", STREAM, ours));
    marks.push(memory(rounds));
    marks
}

fn memory(rounds: &Rounds) -> Measured {
    mark("memory, MB", MEMORY, rounds.middle(OURS, megabytes))
}

fn mark(what: &'static str, bound: Bound, value: f64) -> Measured {
    Measured { what, bound, value, yardstick: false }
}

fn yardstick(what: &'static str, bound: Bound, value: f64) -> Measured {
    Measured { yardstick: true, ..mark(what, bound, value) }
}

/// A figure of the phase with so many requests open.
fn phase(open: usize, what: impl Fn(&Phase) -> f64) -> impl Fn(&Run) -> f64 {
    move |run| run.report.phases.iter().find(|phase| phase.outstanding == open).map_or(f64::NAN, &what)
}

/// The time of a lap, in µs.
pub(crate) fn lap(run: &Run) -> f64 {
    run.report.phases.first().map_or(f64::NAN, |phase| phase.p50)
}

/// The time from the spawn to the first message, in µs.
pub(crate) fn start(run: &Run) -> f64 {
    median(run.outcome.first.clone()) * 1e6
}

/// The most memory of the client, in MB.
pub(crate) fn megabytes(run: &Run) -> f64 {
    run.outcome.memory.map_or(f64::NAN, |memory| memory as f64 / 1e6)
}

/// How fast all laps were read.
pub(crate) fn messages_a_second(run: &Run) -> f64 {
    run.report.told.messages as f64 / seconds(run)
}

/// As [`messages_a_second`], in bytes.
pub(crate) fn bytes_a_second(run: &Run) -> f64 {
    run.report.told.bytes as f64 / seconds(run)
}

fn seconds(run: &Run) -> f64 {
    run.report.phases.first().map_or(f64::NAN, |phase| phase.seconds)
}

const LEAST: &str = BuiltIn::Floor.name();
const BARE: &str = BuiltIn::Echo.name();
const TOKIO: &str = BuiltIn::FloorTokio.name();
const OURS: &str = BuiltIn::Ours.name();

#[cfg(test)]
mod tests {
    use agentwire_testkit::bench::{Callback, Open, Phase, Report, Tally, Workload, Writes};

    use super::measured;
    use crate::{
        rounds::{InProcess, Rounds},
        run::Run,
    };

    /// A run whose phases take these times for each request.
    fn round_trip(times: [f64; 4]) -> Run {
        let phase = |(outstanding, time): (usize, f64)| Phase {
            outstanding,
            requests: 10,
            seconds: time,
            p50: time,
            p99: time,
        };
        let phases = [1, 8, 32, 64].into_iter().zip(times).map(phase).collect();
        Run { report: Report { phases, ..Report::default() }, ..Run::default() }
    }

    fn read_in(seconds: f64, memory: usize) -> Run {
        let mut run = round_trip([seconds; 4]);
        run.report.told = Tally { messages: 100, bytes: 1_000, checksum: 0 };
        run.outcome.memory = Some(memory);
        run
    }

    fn values(rounds: &Rounds) -> Vec<(f64, bool)> {
        measured(rounds).iter().map(|mark| (mark.value, mark.bound.holds(mark.value))).collect()
    }

    #[test]
    fn marks_are_medians_of_ratios_within_the_rounds() {
        let round = |(echo, ours): (f64, f64)| {
            vec![
                ("floor", round_trip([5.0, 1.0, 1.0, 1.0])),
                ("bare echo", round_trip([echo, 1.0, 1.0, 1.0])),
                ("floor-tokio", round_trip([echo * 2.0, 1.0, 7.0, 1.0])),
                ("agentwire", round_trip([ours, 7.0, 14.0, 8.0])),
            ]
        };
        let rounds = [(10.0, 14.0), (100.0, 120.0), (10.0, 30.0)].map(round).to_vec();
        let of =
            |callback, open| values(&Rounds::of(Workload::Callback(callback, open), rounds.clone(), None));
        assert_eq!(of(Callback::Hook, Open::One), [(2.0, true), (0.7, true), (1.4, true)]);
        assert_eq!(of(Callback::Hook, Open::Many), [(0.5, false), (30.0 / 8.0, true), (8.0 / 7.0, true)]);
        // The mark of 32 at once is for hooks.
        assert_eq!(of(Callback::Mcp, Open::Many).len(), 2);
    }

    #[test]
    fn a_slow_echo_is_no_yardstick() {
        let round = vec![("floor", round_trip([5.0; 4])), ("bare echo", round_trip([55.0; 4]))];
        let marks = measured(&Rounds::of(Workload::Callback(Callback::Hook, Open::One), vec![round], None));
        assert!(marks[0].yardstick && !marks[0].bound.holds(marks[0].value), "{:?}", marks[0]);
    }

    #[test]
    fn streams_are_compared_in_messages_a_second() {
        let round = vec![
            ("floor", read_in(1.0, 2_000_000)),
            ("floor-tokio", read_in(2.0, 5_000_000)),
            ("agentwire", read_in(2.5, 12_500_000)),
        ];
        let rounds = Rounds::of(
            Workload::Stream(Writes::Blocks),
            vec![round],
            Some(InProcess { ignored: 2_000.0, floor: 1_000.0 }),
        );
        assert_eq!(values(&rounds), [(0.5, true), (0.5, true), (0.8, false), (12.5, false)]);
        assert_eq!(measured(&rounds).iter().filter(|mark| mark.yardstick).count(), 2);
    }

    #[test]
    fn laps_and_starts_are_compared_in_time_and_a_stalled_client_in_memory() {
        let of = |workload, seconds: f64| {
            let run = |seconds| {
                let mut run = read_in(seconds, 13_000_000);
                run.outcome.first = vec![9.0, seconds, seconds];
                run
            };
            let round = vec![("floor-tokio", run(1.0)), ("agentwire", run(seconds))];
            values(&Rounds::of(workload, vec![round], None))
        };
        assert_eq!(of(Workload::Huge(8), 1.25), [(1.25, true)]);
        assert_eq!(of(Workload::Huge(8), 1.5), [(1.5, false)]);
        assert_eq!(of(Workload::Start, 1.125), [(1.125, true)]);
        assert_eq!(of(Workload::Start, 1.25), [(1.25, false)]);
        assert_eq!(of(Workload::Stalled, 1.0), [(13.0, false)]);
    }

    #[test]
    fn nothing_measured_keeps_no_mark() {
        for workload in Workload::ALL {
            let marks = measured(&Rounds::of(*workload, Vec::new(), None));
            assert_eq!(marks.is_empty(), *workload == Workload::Turns);
            assert!(marks.iter().all(|mark| !mark.bound.holds(mark.value)), "{workload:?}");
        }
    }
}
