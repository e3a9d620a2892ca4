//! The delays between attempts to connect.

use std::time::Duration;

/// The delays and limits for retries of a lost connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backoff {
    /// The delay before the first attempt. It doubles with each further attempt. The default is one second.
    pub first: Duration,
    /// The longest delay. The default is 30 seconds.
    pub longest: Duration,
    /// The number of losses and failed attempts in a row after which a server process is
    /// [`Failed`](crate::ServerState::Failed). The default is five.
    ///
    /// Servers over HTTP are retried without limit.
    pub restarts: u32,
    /// How long a connection must last so that the next loss counts as the first one. The default is one minute.
    pub steady: Duration,
}

impl Backoff {
    /// Sets the delay before the first attempt.
    #[must_use]
    pub fn first(mut self, wait: Duration) -> Self {
        self.first = wait;
        self
    }

    /// Sets the longest delay.
    #[must_use]
    pub fn longest(mut self, wait: Duration) -> Self {
        self.longest = wait;
        self
    }

    /// Sets the number of restarts of a server process.
    #[must_use]
    pub fn restarts(mut self, restarts: u32) -> Self {
        self.restarts = restarts;
        self
    }

    /// Sets the time after which a connection counts as steady.
    #[must_use]
    pub fn steady(mut self, time: Duration) -> Self {
        self.steady = time;
        self
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_doubles_up_to_the_longest() {
        let waits: Vec<_> =
            [1, 2, 3, 5, 6, 7, 40].map(|number| Backoff::default().wait(number).as_secs()).into();
        assert_eq!(waits, [1, 2, 4, 16, 30, 30, 30]);
    }
}
