//! The time limits of a child's shutdown.

use std::time::{Duration, Instant};

/// The grace periods of a child's shutdown.
///
/// After its handle is dropped, a child has ended after at most `after_input + after_terminate`, plus the time that the system
/// needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grace {
    /// The time from the end of input to SIGTERM. Five seconds by default.
    ///
    /// The CLI finishes the running turn and writes its transcript in this time.
    pub after_input: Duration,
    /// The time from SIGTERM to SIGKILL. Three seconds by default.
    ///
    /// When the leader of the process group ends, the rest receives SIGTERM at once, and SIGKILL after this time.
    pub after_terminate: Duration,
    /// The time from the end of input to SIGTERM if this program was killed and the
    /// [guard](super::ProcessTransport::guard) ends the child. Two seconds by default.
    ///
    /// Shorter than `after_input`, since no program sees the child's output any more.
    pub orphaned: Duration,
    /// The time from the end of the process to the end of its output, if another process holds its pipes open.
    /// Half a second by default.
    ///
    /// Everything that the process wrote is delivered, however slowly it is read.
    pub drain: Duration,
}

impl Grace {
    /// Sets the time from the end of input to SIGTERM.
    #[must_use]
    pub fn after_input(mut self, wait: Duration) -> Self {
        self.after_input = wait;
        self
    }

    /// Sets the time from SIGTERM to SIGKILL.
    #[must_use]
    pub fn after_terminate(mut self, wait: Duration) -> Self {
        self.after_terminate = wait;
        self
    }

    /// Sets the time from the end of input to SIGTERM if this program was killed.
    #[must_use]
    pub fn orphaned(mut self, wait: Duration) -> Self {
        self.orphaned = wait;
        self
    }

    /// Sets the time from the end of the process to the end of its output.
    #[must_use]
    pub fn drain(mut self, wait: Duration) -> Self {
        self.drain = wait;
        self
    }
}

impl Default for Grace {
    fn default() -> Self {
        Self {
            after_input: Duration::from_secs(5),
            after_terminate: Duration::from_secs(3),
            orphaned: Duration::from_secs(2),
            drain: Duration::from_millis(500),
        }
    }
}

/// Returns the deadline of a wait that starts now. A wait that overflows the clock is limited to a year.
pub(super) fn deadline(wait: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(wait).unwrap_or_else(|| now + MAX_WAIT)
}

/// A year.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(365 * 24 * 3600);
