//! The end of one call, for work that runs outside of its future.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// The time at which work stops, or earlier if its caller is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Deadline {
    /// `None` for a limit beyond what the clock can count.
    at: Option<Instant>,
    caller: Weak<()>,
    steps: u32,
    is_over: bool,
}

impl Deadline {
    /// Returns a handle and the deadline, which is over as soon as the handle is dropped.
    ///
    /// The call holds the handle, and a timeout or a cancellation drops the call.
    pub(crate) fn after(limit: Duration) -> (Arc<()>, Self) {
        let caller = Arc::new(());
        let at = Instant::now().checked_add(limit);
        let deadline = Self { at, caller: Arc::downgrade(&caller), steps: 0, is_over: false };
        (caller, deadline)
    }

    /// Counts one step of the work, and returns whether it must stop. Once `true`, it stays `true`.
    pub(crate) fn is_over(&mut self) -> bool {
        // Reading the clock costs more than most steps.
        if self.steps.is_multiple_of(STEPS) {
            self.is_over |= self.caller.strong_count() == 0 || self.at.is_some_and(|at| Instant::now() >= at);
        }
        self.steps = self.steps.wrapping_add(1);
        self.is_over
    }
}

/// The steps between two looks at the clock: far below a millisecond.
const STEPS: u32 = 256;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Deadline, STEPS};

    #[test]
    fn work_stops_at_the_deadline_and_when_the_caller_is_gone() {
        let (_caller, mut deadline) = Deadline::after(Duration::ZERO);
        assert!(deadline.is_over());
        let (caller, mut deadline) = Deadline::after(Duration::MAX);
        assert!(!deadline.is_over());
        drop(caller);
        assert!((0..=STEPS).any(|_| deadline.is_over()));
        assert!((0..=STEPS).all(|_| deadline.is_over()));
    }
}
