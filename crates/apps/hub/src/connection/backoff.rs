//! How long to wait before the next attempt, and when to give up.

use std::time::Duration;

/// When a lost connection is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backoff {
    /// The wait before the first attempt; each further one is twice as long. One second by default.
    pub first: Duration,
    /// The longest wait. 30 seconds by default.
    pub longest: Duration,
    /// How many losses and failed attempts in a row are too many of a server that is a program: it is
    /// [`Failed`](crate::ServerState::Failed) then. Five by default.
    ///
    /// Servers over HTTP are tried for ever.
    pub restarts: u32,
    /// How long a connection must stand for the next loss to count as the first again. A minute by default.
    pub steady: Duration,
}

impl Backoff {
    /// With this wait before the first attempt.
    #[must_use]
    pub fn first(mut self, wait: Duration) -> Self {
        self.first = wait;
        self
    }

    /// With this longest wait.
    #[must_use]
    pub fn longest(mut self, wait: Duration) -> Self {
        self.longest = wait;
        self
    }

    /// With so many attempts for a server that is a program.
    #[must_use]
    pub fn restarts(mut self, restarts: u32) -> Self {
        self.restarts = restarts;
        self
    }

    /// With this time after which a connection counts as steady.
    #[must_use]
    pub fn steady(mut self, time: Duration) -> Self {
        self.steady = time;
        self
    }

    /// The wait before attempt `number`, from 1.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let waits: Vec<_> =
            [1, 2, 3, 5, 6, 7, 40].map(|number| Backoff::default().wait(number).as_secs()).into();
        assert_eq!(waits, [1, 2, 4, 16, 30, 30, 30]);
    }
}
