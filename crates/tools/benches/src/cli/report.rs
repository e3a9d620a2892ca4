//! The measurements of the bench CLI.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use super::Tally;

/// The measurements of one session.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Report {
    /// One entry for each number of open requests, or one for all laps.
    pub phases: Vec<Phase>,
    /// The messages that were sent.
    pub sent: Tally,
    /// The number of messages of each `type`, for clients that return only some of them.
    pub kinds: BTreeMap<String, u64>,
}

/// Timed requests with a constant number of open ones, or timed laps.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Phase {
    /// The number of open requests.
    pub outstanding: usize,
    /// The number of requests or laps.
    pub requests: usize,
    /// The time of all of them together, in seconds.
    pub seconds: f64,
    /// The median, in µs.
    pub p50: f64,
    /// The 99th percentile, in µs.
    pub p99: f64,
}

impl Phase {
    /// Summarizes times.
    pub fn of(outstanding: usize, seconds: Duration, mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |share: usize| {
            let time = times.get(times.len() * share / 100).or(times.last());
            time.map_or(f64::NAN, |time| time.as_secs_f64() * 1e6)
        };
        let (p50, p99) = (at(50), at(99));
        Self { outstanding, requests: times.len(), seconds: seconds.as_secs_f64(), p50, p99 }
    }

    /// Returns the requests per second.
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
