//! The signals that ask this program to end.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// SIGINT (Ctrl-C), SIGTERM and SIGHUP, which do not end this program by themselves once caught.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    /// Catches the signals from now on.
    pub(crate) fn new() -> Result<Self, Failure> {
        // Programs that are started would inherit an ignored SIGCHLD, and lose the exit codes of their own children.
        drop(signal(SignalKind::child())?);
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) -> SignalKind {
        tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.hang_up.recv() => SignalKind::hangup(),
        }
    }
}
