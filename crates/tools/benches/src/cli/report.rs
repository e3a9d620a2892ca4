//! What the bench CLI measured, on its way to who compares.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use super::Tally;

/// What one session came to, as the bench CLI saw it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "read and written here alone")]
pub struct Report {
    /// What was timed: one entry for each number of requests that were open at once, or one for all laps.
    pub phases: Vec<Phase>,
    /// What the client was told.
    pub told: Tally,
    /// The same by each message's `type`: how many of each, for clients that give their user only some.
    pub kinds: BTreeMap<String, u64>,
}

/// Requests of one kind, so many of them open at once; or laps.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "read and written here alone")]
pub struct Phase {
    /// How many were open at once.
    pub outstanding: usize,
    /// How many there were.
    pub requests: usize,
    /// The time of all of them, in seconds.
    pub seconds: f64,
    /// The time that half of them do not exceed, in µs.
    pub p50: f64,
    /// The time that 99 in a hundred do not exceed, in µs.
    pub p99: f64,
}

impl Phase {
    /// Puts all times together.
    pub fn of(outstanding: usize, seconds: Duration, mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |share: usize| {
            let time = times.get(times.len() * share / 100).or(times.last());
            time.map_or(f64::NAN, |time| time.as_secs_f64() * 1e6)
        };
        let (p50, p99) = (at(50), at(99));
        Self { outstanding, requests: times.len(), seconds: seconds.as_secs_f64(), p50, p99 }
    }

    /// Requests a second.
    pub fn rate(&self) -> f64 {
        self.requests as f64 / self.seconds
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Phase;

    #[test]
    fn percentiles_are_of_the_times() {
        let times = (1..=200).rev().map(Duration::from_micros).collect();
        let phase = Phase::of(1, Duration::from_millis(100), times);
        assert_eq!((phase.p50, phase.p99, phase.requests), (101.0, 199.0, 200));
        assert_eq!(phase.rate(), 2000.0);
        assert!(Phase::of(1, Duration::from_secs(1), Vec::new()).p50.is_nan());
    }
}
