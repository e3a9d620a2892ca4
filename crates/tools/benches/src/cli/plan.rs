//! What one run is asked for: a workload, and how much of it.

use std::{env, error::Error, time::Duration};

use super::{Callback, Workload, stream};

/// What one run is asked for: a workload, and how much of it.
///
/// The bench CLI and its client are told the same by the same variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "put together by who runs it")]
pub struct Plan {
    /// What is played.
    pub workload: Workload,
    /// All amounts are divided by it: 1 to measure, more to try.
    pub share: usize,
}

impl Plan {
    /// All of a workload.
    pub fn whole(workload: Workload) -> Self {
        Self { workload, share: 1 }
    }

    /// What the environment says.
    ///
    /// # Errors
    ///
    /// When it names no workload, or one that there is not.
    pub fn from_env() -> Result<Self, Box<dyn Error>> {
        let name = env::var(WORKLOAD).map_err(|error| format!("{WORKLOAD}: {error}"))?;
        let workload = Workload::named(&name).ok_or_else(|| format!("there is no workload `{name}`"))?;
        let share = env::var(SHARE).map_or(Ok(1), |share| share.parse())?;
        Ok(Self { workload, share })
    }

    /// The variables that say it.
    pub fn variables(self) -> [(&'static str, String); 2] {
        [(WORKLOAD, self.workload.name()), (SHARE, self.share.to_string())]
    }

    /// How many prompts the client sends in a session; the last one's turn has no more than its result.
    pub fn prompts(self) -> usize {
        self.laps() + 1
    }

    /// How many sessions the client plays, one after another; the report is of the last one.
    pub fn sessions(self) -> usize {
        if self.workload == Workload::Start { self.part(SESSIONS) } else { 1 }
    }

    /// How long the client stops reading once it has so many messages of a session in its hands.
    pub fn stall(self, messages: u64) -> Option<Duration> {
        let middle = self.part(stream::MESSAGES / 2) as u64;
        (self.workload == Workload::Stalled && messages == middle).then(|| STALL / self.divisor())
    }

    /// How many requests are open at once, and how many of them are timed, one phase after another.
    pub(super) fn phases(self) -> Vec<(usize, usize)> {
        let requests: &[(usize, usize)] = match self.workload {
            Workload::Callback(_) => ONE,
            Workload::HookMany => MANY,
            _ => &[],
        };
        requests.iter().map(|(open, requests)| (*open, self.part(*requests))).collect()
    }

    /// How many turns are timed.
    pub(super) fn laps(self) -> usize {
        match self.workload {
            Workload::Callback(_) | Workload::HookMany | Workload::Start => 0,
            Workload::Stream | Workload::Stalled => 1,
            Workload::Turns => self.part(TURNS),
        }
    }

    pub(super) fn callback(self) -> Option<Callback> {
        match self.workload {
            Workload::Callback(callback) => Some(callback),
            Workload::HookMany => Some(Callback::Hook),
            _ => None,
        }
    }

    /// So much of an amount, at least one.
    pub(super) fn part(self, amount: usize) -> usize {
        (amount / self.share.max(1)).max(1)
    }

    fn divisor(self) -> u32 {
        u32::try_from(self.share.max(1)).unwrap_or(u32::MAX)
    }
}

/// The variable that names the [`Workload`].
pub const WORKLOAD: &str = "AGENTWIRE_BENCH_WORKLOAD";
/// The variable that divides all amounts; 1 where it is not set.
pub const SHARE: &str = "AGENTWIRE_BENCH_SHARE";
/// The variable that says to which file the bench CLI writes its [`Report`](super::Report), as JSON.
pub const REPORT: &str = "AGENTWIRE_BENCH_REPORT";

/// A tenth of the requests goes before, and does not count.
const ONE: &[(usize, usize)] = &[(1, 3_000)];
const MANY: &[(usize, usize)] = &[(8, 6_000), (32, 6_000), (64, 6_000)];
const TURNS: usize = 500;
const SESSIONS: usize = 20;
const STALL: Duration = Duration::from_millis(2_500);
