//! The plan of a run: a workload and its size.

use std::{env, error::Error, time::Duration};

use super::{Callback, Workload, stream};

/// The plan of a run: a workload and its size.
///
/// The bench CLI and its client read it from the same environment variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The workload.
    pub workload: Workload,
    /// The divisor of all amounts: 1 for measurements, more for quick trials.
    pub share: usize,
}

impl Plan {
    /// Returns the plan for a whole workload.
    pub fn whole(workload: Workload) -> Self {
        Self { workload, share: 1 }
    }

    /// Reads the plan from the environment.
    pub fn from_env() -> Result<Self, Box<dyn Error>> {
        let name = env::var(WORKLOAD).map_err(|error| format!("{WORKLOAD}: {error}"))?;
        let workload = Workload::named(&name).ok_or_else(|| format!("there is no workload `{name}`"))?;
        let share = env::var(SHARE).map_or(Ok(1), |share| share.parse())?;
        Ok(Self { workload, share })
    }

    /// Returns the plan as environment variables.
    pub fn variables(self) -> [(&'static str, String); 2] {
        [(WORKLOAD, self.workload.name()), (SHARE, self.share.to_string())]
    }

    /// Returns how many prompts the client sends in a session. The turn of the last one consists of its result only.
    pub fn prompts(self) -> usize {
        self.laps() + 1
    }

    /// Returns how many sessions the client plays in sequence. The report covers the last one.
    pub fn sessions(self) -> usize {
        if self.workload == Workload::Start { self.part(SESSIONS) } else { 1 }
    }

    /// Returns how long the client stops reading after this many messages of a session, if it does.
    pub fn stall(self, messages: u64) -> Option<Duration> {
        let middle = self.part(stream::MESSAGES / 2) as u64;
        (self.workload == Workload::Stalled && messages == middle).then(|| STALL / self.divisor())
    }

    /// Returns the number of open requests and of timed requests for each phase.
    pub(super) fn phases(self) -> Vec<(usize, usize)> {
        let requests: &[(usize, usize)] = match self.workload {
            Workload::Callback(_) => ONE,
            Workload::HookMany => MANY,
            _ => &[],
        };
        requests.iter().map(|(open, requests)| (*open, self.part(*requests))).collect()
    }

    /// Returns how many turns are timed.
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

    /// Returns an amount divided by the share, at least 1.
    pub(super) fn part(self, amount: usize) -> usize {
        (amount / self.share.max(1)).max(1)
    }

    fn divisor(self) -> u32 {
        u32::try_from(self.share.max(1)).unwrap_or(u32::MAX)
    }
}

/// The variable that names the [`Workload`].
pub const WORKLOAD: &str = "AGENTWIRE_BENCH_WORKLOAD";
/// The variable for [`Plan::share`]; 1 by default.
pub const SHARE: &str = "AGENTWIRE_BENCH_SHARE";
/// The variable for the file to which the bench CLI writes its [`Report`](super::Report) as JSON.
pub const REPORT: &str = "AGENTWIRE_BENCH_REPORT";

/// Before each phase, a tenth as many requests warm up and do not count.
const ONE: &[(usize, usize)] = &[(1, 3_000)];
const MANY: &[(usize, usize)] = &[(8, 6_000), (32, 6_000), (64, 6_000)];
const TURNS: usize = 500;
const SESSIONS: usize = 20;
const STALL: Duration = Duration::from_millis(2_500);
