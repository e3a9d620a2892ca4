//! How long the steps of a child's end may take.

use std::time::{Duration, Instant};

/// The waiting times at a child's end: together they bound how long it can take.
///
/// A child whose handle is dropped is gone after at most `after_input + after_terminate`, but for what the system
/// itself needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grace {
    /// From the end of input to SIGTERM. Five seconds by default.
    ///
    /// The CLI finishes the running turn and writes its transcript in this time.
    pub after_input: Duration,
    /// From SIGTERM to SIGKILL. Three seconds by default.
    ///
    /// Also how long the rest of the process group has after its leader has ended: it is sent SIGTERM at once.
    pub after_terminate: Duration,
    /// From the end of input to SIGTERM where this program was killed, and the
    /// [guard](super::ProcessTransport::guard) ends the child. Two seconds by default.
    ///
    /// Short, since what the child does meanwhile is seen by nobody.
    pub orphaned: Duration,
    /// From the end of the process to the end of its output, where something else holds its pipes open.
    /// Half a second by default.
    ///
    /// What the process itself wrote is delivered in any case, however slowly it is read.
    pub drain: Duration,
}

impl Grace {
    /// With this time from the end of input to SIGTERM.
    #[must_use]
    pub fn after_input(mut self, wait: Duration) -> Self {
        self.after_input = wait;
        self
    }

    /// With this time from SIGTERM to SIGKILL.
    #[must_use]
    pub fn after_terminate(mut self, wait: Duration) -> Self {
        self.after_terminate = wait;
        self
    }

    /// With this time from the end of input to SIGTERM where this program was killed.
    #[must_use]
    pub fn orphaned(mut self, wait: Duration) -> Self {
        self.orphaned = wait;
        self
    }

    /// With this time from the end of the process to the end of its output.
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

/// The end of a wait that starts now. A wait too long for the clock is cut to a year.
pub(super) fn deadline(wait: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(wait).unwrap_or_else(|| now + LONGEST)
}

/// A year.
pub(super) const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);
