//! The delays between attempts to connect, and between restarts after file changes.

use std::time::Duration;

/// The delays and limits for retries of a lost connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "plain settings, written with `..default()`")]
pub struct Backoff {
    /// The delay before the first attempt. It doubles with each further attempt. The default is one second.
    pub first: Duration,
    /// The longest delay. The default is 30 seconds.
    pub longest: Duration,
    /// The number of restarts in a row of a server process. The next loss or failed attempt makes it
    /// [`Failed`](crate::ServerState::Failed). The default is five.
    ///
    /// Servers over HTTP are retried without limit.
    pub restarts: u32,
    /// How long a connection must last so that the next loss counts as the first one. The default is one minute.
    pub steady: Duration,
}

impl Backoff {
    /// Returns the delay before attempt `number`, from 1.
    pub(crate) fn wait(&self, number: u32) -> Duration {
        let factor = 1_u32.checked_shl(number.saturating_sub(1)).unwrap_or(u32::MAX);
        self.first.saturating_mul(factor).min(self.longest)
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(1),
            longest: Duration::from_secs(30),
            restarts: 5,
            steady: Duration::from_secs(60),
        }
    }
}

/// Limits consecutive restarts that file changes cause.
///
/// A running build, or a server that writes into its own watched folder, must not restart a server forever.
#[derive(Debug, Default)]
pub(super) struct RestartLimiter {
    restarts: u32,
    /// The time from the last start or the last ignored change to the last change.
    uptime: Option<Duration>,
}

impl RestartLimiter {
    /// Returns the delay before a restart for a change, or `None` for no restart.
    ///
    /// `uptime` is the time from the last start, or from the last ignored change, to this change.
    ///
    /// The first restart has no delay. The delays and the number of further restarts are those of attempts after losses.
    /// A change counts as the first one again after four times the delay, unless it comes as long after the start as the
    /// change before it: then the server itself writes the file.
    pub(super) fn wait(&mut self, backoff: &Backoff, uptime: Duration) -> Option<Duration> {
        let apart = match self.restarts {
            0 => Duration::ZERO,
            restarts => backoff.wait(restarts),
        };
        let is_regular =
            self.uptime.replace(uptime).is_some_and(|before| before.abs_diff(uptime) < REGULAR_TOLERANCE);
        if uptime >= apart.saturating_mul(QUIET_FACTOR) && !is_regular {
            self.restarts = 1;
            return Some(Duration::ZERO);
        }
        if self.restarts > backoff.restarts {
            return None;
        }
        self.restarts += 1;
        Some(apart.saturating_sub(uptime))
    }
}

/// After this many delays without a change, the next change counts as the first one.
const QUIET_FACTOR: u32 = 4;
/// Two changes with a smaller difference come equally long after a start.
const REGULAR_TOLERANCE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_doubles_up_to_the_longest() {
        let waits: Vec<_> =
            [1, 2, 3, 5, 6, 7, 40].map(|number| Backoff::default().wait(number).as_secs()).into();
        assert_eq!(waits, [1, 2, 4, 16, 30, 30, 30]);
    }

    /// Counts the restarts in an hour if a file changes `after` each start or each ignored change.
    fn restarts(mut after: impl FnMut(u32) -> Duration) -> u32 {
        let (mut limiter, mut passed, mut restarts) = (RestartLimiter::default(), Duration::ZERO, 0);
        for change in 0..100_000 {
            let after = after(change);
            let wait = limiter.wait(&Backoff::default(), after);
            passed += after + wait.unwrap_or_default();
            if passed >= Duration::from_secs(3600) {
                break;
            }
            restarts += u32::from(wait.is_some());
        }
        restarts
    }

    #[test]
    fn server_that_changes_its_own_files_is_not_restarted_forever() {
        for millis in [0, 10, 600, 3_900, 5_000, 10_000, 60_000, 200_000] {
            let restarts = restarts(|_| Duration::from_millis(millis));
            assert!(restarts <= 1 + Backoff::default().restarts, "{restarts} after {millis} ms");
        }
    }

    #[test]
    fn occasional_builds_restart_without_delay() {
        let builds = restarts(|change| Duration::from_secs(if change % 2 == 0 { 8 } else { 12 }));
        assert!(builds >= 359, "{builds}");
    }

    #[test]
    fn delays_between_restarts_double_until_restarts_end() {
        let (mut limiter, backoff) = (RestartLimiter::default(), Backoff::default());
        let soon = Duration::from_millis(500);
        let mut wait = |uptime| limiter.wait(&backoff, uptime).map(|wait| wait.as_millis());
        let waits: Vec<_> = (0..8).map(|_| wait(soon)).collect();
        let expected = [Some(0), Some(500), Some(1500), Some(3500), Some(7500), Some(15500), None, None];
        assert_eq!(waits, expected);
        // After a quiet time, a change restarts the server again.
        assert_eq!(wait(Duration::from_secs(180)), Some(0));
        assert_eq!(wait(soon), Some(500));
    }
}
