//! The child's life, as its user holds it.

use std::{fmt, io, sync::Arc, time::Duration};

use super::{closing, running::Running};
use crate::{
    error::{ExitReport, TransportError},
    transport::{PeerHandle, Signal},
};

/// A child's life. Dropping it ends the child: see [`Grace`](super::Grace) for the steps.
///
/// Where something else in this process reaps every child, or SIGCHLD is ignored, the report has neither code nor
/// signal, and the rest of the group is left to the [guard](super::ProcessTransport::guard): without one it lives on.
pub struct ProcessHandle {
    running: Arc<Running>,
}

impl ProcessHandle {
    pub(super) fn new(running: Arc<Running>) -> Self {
        Self { running }
    }

    /// The process id, which is the id of its process group too.
    ///
    /// May belong to a stranger once the process has ended: for signals, use [`PeerHandle::signal`].
    pub fn pid(&self) -> u32 {
        self.running.group.id()
    }

    /// The process id of the [guard](super::ProcessTransport::guard), while there is one.
    ///
    /// Until the process has ended that means: should this program be killed, the group ends all the same.
    ///
    /// It is started just after the process: this waits, without yielding to a runtime, until that is done, a millisecond
    /// or two at most.
    pub fn guard_pid(&self) -> Option<u32> {
        self.running.guard.pid().map(|guard| guard.as_raw_nonzero().get().unsigned_abs())
    }

    /// Interrupts the process and what it started: SIGINT to the process group, as Ctrl-C does in a terminal.
    ///
    /// Returns at once; what a program does then is its own affair.
    /// A process that is gone already is no error.
    ///
    /// # Errors
    ///
    /// [`TransportError::Io`] when the system refuses.
    pub fn interrupt(&self) -> Result<(), TransportError> {
        self.signalled(self.running.group.interrupt())
    }

    /// Why there is no [guard](super::ProcessTransport::guard) although one was wanted.
    ///
    /// The process runs all the same, with the end of its pipes as all that tells it of this program's sudden end.
    /// Waits as [`guard_pid`](Self::guard_pid) does.
    pub fn unguarded(&self) -> Option<&io::Error> {
        self.running.guard.failure()
    }

    fn signalled(&self, sent: io::Result<()>) -> Result<(), TransportError> {
        match sent {
            // Some systems refuse to signal a group whose only member has ended.
            Err(source) if self.running.ended.value().is_none() => {
                Err(TransportError::Io { action: "signalling the process group", source })
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

impl PeerHandle for ProcessHandle {
    async fn wait(&self) -> ExitReport {
        self.running.ended.wait().await
    }

    async fn wait_group(&self) {
        self.running.gone.wait().await;
    }

    fn signal(&self, signal: Signal) -> Result<(), TransportError> {
        self.signalled(self.running.group.signal(signal))
    }

    fn limit_grace(&self, after_input: Duration, after_terminate: Duration) {
        self.running.limit_grace(after_input, after_terminate);
    }

    fn has_process(&self) -> bool {
        true
    }

    fn stderr_tail(&self) -> String {
        self.running.stderr.tail()
    }
}

impl Drop for ProcessHandle {
    fn drop(&mut self) {
        closing::begin(&self.running);
    }
}

impl fmt::Debug for ProcessHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessHandle").field("pid", &self.pid()).finish_non_exhaustive()
    }
}
