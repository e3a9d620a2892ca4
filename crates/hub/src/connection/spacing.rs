//! Spaces out the restarts that files ask for: a build that goes on writing must not restart a server for ever.

use std::time::Duration;

use super::Backoff;

/// How many restarts by files have followed each other.
#[derive(Debug, Default)]
pub(super) struct Spacing {
    restarts: u32,
}

impl Spacing {
    /// A file has changed, so long after the last start: how long the restart waits.
    ///
    /// The first does not wait; those that follow are as far apart as attempts after losses.
    /// One that comes when four times that have passed is the first again.
    pub(super) fn wait(&mut self, backoff: &Backoff, stood: Duration) -> Duration {
        let apart = match self.restarts {
            0 => Duration::ZERO,
            restarts => backoff.wait(restarts),
        };
        if stood >= apart.saturating_mul(CALM) {
            self.restarts = 1;
            return Duration::ZERO;
        }
        self.restarts = self.restarts.saturating_add(1);
        apart.saturating_sub(stood)
    }
}

/// After how many of the waits files have come to rest.
const CALM: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    /// How many restarts there are in an hour, when a file changes so long after each start.
    fn restarts(after: Duration) -> u32 {
        let (mut spacing, mut passed, mut restarts) = (Spacing::default(), Duration::ZERO, 0);
        while passed < Duration::from_secs(3600) {
            passed += after + spacing.wait(&Backoff::default(), after);
            restarts += 1;
        }
        restarts
    }

    #[test]
    fn changes_without_a_pause_are_spaced_out_and_others_are_not() {
        assert!(restarts(Duration::from_millis(600)) < 130, "one each half minute");
        assert!(
            restarts(Duration::from_millis(3900)) < 130,
            "slower than the first wait, but without a pause"
        );
        assert_eq!(
            restarts(Duration::from_secs(10)),
            360,
            "somebody who builds now and then waits for nothing"
        );
    }

    #[test]
    fn a_pause_makes_the_next_change_the_first() {
        let (mut spacing, backoff, soon) =
            (Spacing::default(), Backoff::default(), Duration::from_millis(500));
        let waits: Vec<_> = (0..4).map(|_| spacing.wait(&backoff, soon).as_millis()).collect();
        assert_eq!(waits, [0, 500, 1500, 3500]);
        assert_eq!(spacing.wait(&backoff, Duration::from_secs(32)), Duration::ZERO);
        assert_eq!(spacing.wait(&backoff, soon).as_millis(), 500);
    }
}
