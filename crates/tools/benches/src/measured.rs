//! The bounds that agentwire keeps, each relative to *floor-tokio* within one run, and what a run measured for them.

use std::fmt;

use crate::cli::{Phase, Workload};

use crate::{
    clients::BuiltIn,
    rounds::{Rounds, median},
    run::Run,
};

/// A bound, and the value that a run measured for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The name of the compared quantity.
    pub what: &'static str,
    /// The bound.
    pub bound: Bound,
    /// The median over the rounds.
    pub value: f64,
}

/// A limit on a measured value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// The largest value allowed.
    AtMost(f64),
    /// The smallest value allowed.
    AtLeast(f64),
}

impl Bound {
    /// Returns whether a value keeps the bound. A missing value (NaN) does not.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::AtMost(most) => value <= most,
            Self::AtLeast(least) => value >= least,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(most) => write!(f, "≤ {most}"),
            Self::AtLeast(least) => write!(f, "≥ {least}"),
        }
    }
}

/// Returns the bounds of a workload with their values.
pub fn measured(rounds: &Rounds) -> Vec<Measured> {
    match rounds.workload() {
        Workload::Callback(_) => {
            let p50 = phase(1, |phase| phase.p50);
            vec![bound("p50 / floor-tokio", ROUND_TRIP, rounds.ratio(OURS, TOKIO, p50))]
        }
        Workload::HookMany => {
            let rate = phase(32, Phase::rate);
            vec![bound("requests/s, 32 open / floor-tokio", MANY, rounds.ratio(OURS, TOKIO, rate))]
        }
        Workload::Stream => {
            vec![bound("messages/s / floor-tokio", STREAM, rounds.ratio(OURS, TOKIO, messages_a_second))]
        }
        Workload::Turns => vec![bound("a turn / floor-tokio", TURN, rounds.ratio(OURS, TOKIO, lap))],
        Workload::Stalled => vec![bound("memory, MB", MEMORY, rounds.middle(OURS, megabytes))],
        Workload::Start => {
            vec![bound("ms more than floor-tokio", START, rounds.difference(OURS, TOKIO, start) / 1e3)]
        }
    }
}

fn bound(what: &'static str, bound: Bound, value: f64) -> Measured {
    Measured { what, bound, value }
}

/// Returns a figure of the phase with this many open requests.
fn phase(open: usize, what: impl Fn(&Phase) -> f64) -> impl Fn(&Run) -> f64 {
    move |run| run.report.phases.iter().find(|phase| phase.outstanding == open).map_or(f64::NAN, &what)
}

/// Returns the median time of a lap, in µs.
pub(crate) fn lap(run: &Run) -> f64 {
    run.report.phases.first().map_or(f64::NAN, |phase| phase.p50)
}

/// Returns the median time from the spawn to the first message, in µs.
pub(crate) fn start(run: &Run) -> f64 {
    median(run.outcome.first.clone()) * 1e6
}

/// Returns the peak memory of the client, in MB.
pub(crate) fn megabytes(run: &Run) -> f64 {
    run.outcome.memory.map_or(f64::NAN, |memory| memory as f64 / 1e6)
}

/// Returns the messages a second over all laps.
pub(crate) fn messages_a_second(run: &Run) -> f64 {
    run.report.sent.messages as f64 / seconds(run)
}

/// Returns the megabytes a second over all laps.
pub(crate) fn megabytes_a_second(run: &Run) -> f64 {
    run.report.sent.bytes as f64 / 1e6 / seconds(run)
}

fn seconds(run: &Run) -> f64 {
    run.report.phases.first().map_or(f64::NAN, |phase| phase.seconds)
}

/// A hook, permission or MCP round trip at p50, with one request open.
const ROUND_TRIP: Bound = Bound::AtMost(1.6);
/// The rate of hooks with 32 open.
const MANY: Bound = Bound::AtLeast(0.4);
/// The rate of messages of a long turn.
const STREAM: Bound = Bound::AtLeast(0.85);
/// The time of a short turn.
const TURN: Bound = Bound::AtMost(1.6);
/// The memory of a client that stops reading.
const MEMORY: Bound = Bound::AtMost(14.0);
/// The time from the spawn to the first message, as milliseconds more.
const START: Bound = Bound::AtMost(3.0);

const TOKIO: &str = BuiltIn::FloorTokio.name();
const OURS: &str = BuiltIn::Ours.name();

#[cfg(test)]
mod tests {
    use crate::cli::{Callback, Phase, Report, Tally, Workload};

    use super::measured;
    use crate::{rounds::Rounds, run::Run};

    /// Returns a run with these times of a request in its phases.
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

    fn values(workload: Workload, rounds: Vec<(Run, Run)>) -> Vec<(f64, bool)> {
        let named = |(tokio, ours)| vec![("floor-tokio", tokio), ("agentwire", ours)];
        let rounds = Rounds::of(workload, rounds.into_iter().map(named).collect());
        measured(&rounds)
            .iter()
            .map(|measured| (measured.value, measured.bound.holds(measured.value)))
            .collect()
    }

    #[test]
    fn values_are_medians_of_the_ratios_within_a_round() {
        let round = |(tokio, ours)| (round_trip([tokio, 1.0, 3.0, 1.0]), round_trip([ours, 7.0, 12.0, 8.0]));
        let rounds = [(10.0, 14.0), (100.0, 120.0), (10.0, 30.0)].map(round).to_vec();
        assert_eq!(values(Workload::Callback(Callback::Hook), rounds.clone()), [(1.4, true)]);
        assert_eq!(values(Workload::HookMany, rounds), [(0.25, false)]);
    }

    #[test]
    fn each_workload_is_compared_by_its_own_figure() {
        let of = |workload, tokio: f64, ours: f64| {
            let run = |seconds| {
                let mut run = round_trip([seconds; 4]);
                run.report.sent = Tally { messages: 100, bytes: 1_000, checksum: 0 };
                run.outcome.memory = Some(13_000_000);
                run.outcome.first = vec![9.0, seconds, seconds];
                run
            };
            values(workload, vec![(run(tokio), run(ours))])
        };
        assert_eq!(of(Workload::Stream, 2.0, 2.5), [(0.8, false)]);
        assert_eq!(of(Workload::Turns, 2.0, 3.0), [(1.5, true)]);
        assert_eq!(of(Workload::Stalled, 1.0, 1.0), [(13.0, true)]);
        assert_eq!(of(Workload::Start, 0.5, 0.5), [(0.0, true)]);
        assert_eq!(of(Workload::Start, 0.5, 0.75), [(250.0, false)]);
    }

    #[test]
    fn bounds_without_values_are_missed() {
        for workload in Workload::ALL {
            let measured = values(*workload, Vec::new());
            assert!(!measured.is_empty() && measured.iter().all(|(_, holds)| !holds), "{workload:?}");
        }
    }
}
