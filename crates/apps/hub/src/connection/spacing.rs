//! Limits the restarts that files ask for: a build that goes on writing, and a server that writes into a folder that it
//! watches, must not restart a server for ever.

use std::time::Duration;

use super::Backoff;

/// How many restarts by files have followed each other.
#[derive(Debug, Default)]
pub(super) struct Spacing {
    restarts: u32,
    /// How long after the last start, or the last change that was ignored, the last change came.
    stood: Option<Duration>,
}

impl Spacing {
    /// Returns how long to wait before a restart for a change that came `stood` after the last start; `None` if there is
    /// to be no restart: `stood` is then measured from this change.
    ///
    /// The first restart does not wait; those that follow are as far apart as attempts after losses, and as many.
    /// A change is the first again when four times the wait has passed, unless it comes as long after the start as the
    /// change before it: that one is the server's own.
    pub(super) fn wait(&mut self, backoff: &Backoff, stood: Duration) -> Option<Duration> {
        let apart = match self.restarts {
            0 => Duration::ZERO,
            restarts => backoff.wait(restarts),
        };
        let is_regular = self.stood.replace(stood).is_some_and(|before| before.abs_diff(stood) < SAME);
        if stood >= apart.saturating_mul(CALM) && !is_regular {
            self.restarts = 1;
            return Some(Duration::ZERO);
        }
        if self.restarts > backoff.restarts {
            return None;
        }
        self.restarts += 1;
        Some(apart.saturating_sub(stood))
    }
}

/// After how many of the waits files have come to rest.
const CALM: u32 = 4;
/// Changes that come as long after a start differ by less.
const SAME: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    /// How many restarts there are in an hour, when a file changes so long after each start, or after each change.
    fn restarts(mut after: impl FnMut(u32) -> Duration) -> u32 {
        let (mut spacing, mut passed, mut restarts) = (Spacing::default(), Duration::ZERO, 0);
        for change in 0..100_000 {
            let after = after(change);
            let wait = spacing.wait(&Backoff::default(), after);
            passed += after + wait.unwrap_or_default();
            if passed >= Duration::from_secs(3600) {
                break;
            }
            restarts += u32::from(wait.is_some());
        }
        restarts
    }

    #[test]
    fn a_server_that_changes_its_own_files_is_not_restarted_for_ever() {
        for millis in [0, 10, 600, 3_900, 5_000, 10_000, 60_000, 200_000] {
            let restarts = restarts(|_| Duration::from_millis(millis));
            assert!(restarts <= 1 + Backoff::default().restarts, "{restarts} after {millis} ms");
        }
    }

    #[test]
    fn somebody_who_builds_now_and_then_waits_for_nothing() {
        let builds = restarts(|change| Duration::from_secs(if change % 2 == 0 { 8 } else { 12 }));
        assert!(builds >= 359, "{builds}");
    }

    #[test]
    fn restarts_are_farther_and_farther_apart_and_then_end() {
        let (mut spacing, backoff) = (Spacing::default(), Backoff::default());
        let soon = Duration::from_millis(500);
        let mut wait = |stood| spacing.wait(&backoff, stood).map(|wait| wait.as_millis());
        let waits: Vec<_> = (0..8).map(|_| wait(soon)).collect();
        let expected = [Some(0), Some(500), Some(1500), Some(3500), Some(7500), Some(15500), None, None];
        assert_eq!(waits, expected);
        // Files that have come to rest restart it again.
        assert_eq!(wait(Duration::from_secs(180)), Some(0));
        assert_eq!(wait(soon), Some(500));
    }
}
