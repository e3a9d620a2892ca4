//! The state that the parts of an open process transport share.

use std::{any::Any, io, sync::Arc, thread, time::Duration};

use super::{
    grace::Grace, group::Group, guard::Guard, input::Input, shutdown_fd::ShutdownFd, stderr::Stderr,
};
use crate::{error::ExitReport, lock::Lock, once_event::OnceEvent};

/// The state that source, sink, handle and threads share.
pub(super) struct Running {
    pub(super) group: Group,
    pub(super) guard: Arc<Guard>,
    pub(super) grace: Lock<Grace>,
    pub(super) input: Input,
    pub(super) stderr: Stderr,
    /// Set when the process has ended.
    pub(super) ended: OnceEvent<ExitReport>,
    /// Set when the process is reaped and its group has ended.
    pub(super) group_ended: OnceEvent<()>,
    /// Set when the output was read or drained to its end.
    pub(super) output_done: OnceEvent<()>,
    /// Signalled when the process has ended and the grace period for its pipes is over: readers take what the pipes
    /// contain, and wait for nothing more.
    pub(super) shutdown: ShutdownFd,
    pub(super) attachments: Lock<Option<Attachments>>,
}

/// A value that is dropped when the process and its group have ended.
pub(super) type Attachments = Box<dyn Any + Send>;

impl Running {
    pub(super) fn grace(&self) -> Grace {
        *self.grace.lock()
    }

    /// Limits the first two grace periods. Periods that have begun do not change.
    pub(super) fn limit_grace(&self, after_input: Duration, after_terminate: Duration) {
        let mut grace = self.grace.lock();
        grace.after_input = grace.after_input.min(after_input);
        grace.after_terminate = grace.after_terminate.min(after_terminate);
    }
}

/// Starts a thread with a small stack; the caller's callback for stderr and its panics need most of it.
pub(super) fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.into()).stack_size(1024 * 1024).spawn(work).map(drop)
}
