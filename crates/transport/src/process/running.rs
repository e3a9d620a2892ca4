//! What the parts of an open process transport share.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{Kept, alarm::Alarm, grace::Grace, group::Group, guard::Guard, input::Input, stderr::Stderr};
use crate::{error::ExitReport, settled::Settled};

pub(super) struct Running {
    pub(super) group: Group,
    /// Ends the group where we can't, because we are dead.
    pub(super) guard: Arc<Guard>,
    pub(super) grace: Mutex<Grace>,
    pub(super) input: Input,
    pub(super) stderr: Stderr,
    /// Rings when `abandoned` is settled, for the threads in `poll`.
    pub(super) alarm: Alarm,
    /// The process has ended.
    pub(super) ended: Settled<ExitReport>,
    /// The process is reaped, and its group has ended.
    pub(super) gone: Settled<()>,
    /// Nobody needs the output any more: its end was read, or a thread has drained it.
    pub(super) output_done: Settled<()>,
    /// The process has ended and the grace for its pipes is over: what is in them is all that counts.
    pub(super) abandoned: Settled<()>,
    /// What lives as long as the process and its group.
    pub(super) keep: Mutex<Option<Kept>>,
}

impl Running {
    pub(super) fn grace(&self) -> Grace {
        *self.lock_grace()
    }

    /// Limits the first two waiting times; those that run already stay as they are.
    pub(super) fn limit_grace(&self, after_input: Duration, after_terminate: Duration) {
        let mut grace = self.lock_grace();
        grace.after_input = grace.after_input.min(after_input);
        grace.after_terminate = grace.after_terminate.min(after_terminate);
    }

    fn lock_grace(&self) -> MutexGuard<'_, Grace> {
        self.grace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
