//! The handle to a child process.

use std::{fmt, io, sync::Arc, time::Duration};

use super::{closing, running::Running};
use crate::{
    error::{ExitReport, TransportError},
    transport::{PeerHandle, Signal},
};

/// A handle to a child process. Dropping it ends the child: see [`Grace`](super::Grace) for the steps.
///
/// If other code of this program reaps every child, or SIGCHLD is ignored, the report has neither code nor signal, and only
/// the [guard](super::ProcessTransport::guard) ends the rest of the group. Without a guard the rest lives on.
pub struct ProcessHandle {
    pub(super) running: Arc<Running>,
}

impl ProcessHandle {
    /// Returns the process id, which is also the id of its process group.
    ///
    /// The system may reuse the id once the process has ended: to send signals, use [`PeerHandle::signal`].
    pub fn pid(&self) -> u32 {
        self.running.group.id()
    }

    /// Returns the process id of the [guard](super::ProcessTransport::guard), while there is one.
    ///
    /// While the process runs, a guard means that the group ends even if this program is killed.
    pub fn guard_pid(&self) -> Option<u32> {
        self.running.guard.pid().map(|guard| guard.as_raw_nonzero().get().unsigned_abs())
    }

    /// Sends SIGINT to the process group, as Ctrl-C does in a terminal.
    ///
    /// Returns at once, and does not wait for an effect.
    /// Succeeds if the process has ended.
    ///
    /// # Errors
    ///
    /// [`TransportError::Io`] if the system refuses.
    pub fn interrupt(&self) -> Result<(), TransportError> {
        self.signalled(self.running.group.interrupt())
    }

    /// Returns why the [guard](super::ProcessTransport::guard) could not be started.
    ///
    /// The process runs without it. If this program is killed, the process only sees the end of its pipes.
    pub fn unguarded(&self) -> Option<&io::Error> {
        self.running.guard.failure.as_ref()
    }

    fn signalled(&self, sent: io::Result<()>) -> Result<(), TransportError> {
        match sent {
            // Some systems refuse to signal a group if all its members have ended.
            Err(source) if self.running.ended.get().is_none() => {
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
        self.running.group_ended.wait().await;
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
        closing::close_in_background(&self.running);
    }
}

impl fmt::Debug for ProcessHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessHandle").field("pid", &self.pid()).finish_non_exhaustive()
    }
}
