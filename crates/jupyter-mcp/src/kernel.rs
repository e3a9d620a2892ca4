//! A kernel: its process with all that it started, and the sockets to it.

mod channels;
mod start;

use std::convert::Infallible;
use std::time::Duration;

use agentwire_transport::process::ProcessHandle;
use agentwire_transport::{ExitReport, PeerHandle as _, Signal};
use jupyter_protocol::{InterruptRequest, KernelInfoReply, ShutdownRequest};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

pub(crate) use channels::{Channels, parent_is};

/// A kernel that has answered. Dropping it closes the sockets and ends the process with all that it started.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Before the process, so that nothing connects again to where it was.
    pub(crate) channels: Channels,
    pub(crate) info: Option<Box<KernelInfoReply>>,
    pub(crate) language: String,
    pub(crate) process: Process,
}

/// The process of a kernel.
#[derive(Debug)]
pub(crate) struct Process {
    handle: ProcessHandle,
    by_message: bool,
    /// Its other end lives as long as anything of the process's group.
    gone: oneshot::Receiver<Infallible>,
    /// Reads what the kernel prints beside its sockets, so that it never waits for a reader.
    _stdout: AbortOnDropHandle<()>,
}

impl Process {
    pub(crate) fn id(&self) -> u32 {
        self.handle.pid()
    }

    /// Resolves once the kernel has ended; its output may still be unread.
    pub(crate) async fn ended(&self) -> ExitReport {
        let mut report = self.handle.wait().await;
        if report.stderr_tail.is_empty() {
            report.stderr_tail = self.handle.stderr_tail();
        }
        report
    }

    /// Ends it now, and waits until nothing is left of it.
    pub(crate) async fn kill(self) {
        // A group that is gone already is what is wanted.
        let _refused = self.handle.signal(Signal::Kill);
        self.close().await;
    }

    async fn close(self) {
        drop(self.handle);
        // Nothing is ever sent: the other end is dropped.
        let Err(_gone) = self.gone.await;
    }
}

impl Kernel {
    /// Interrupts what runs, in the way that the kernel's specification asks for.
    pub(crate) async fn interrupt(&mut self) {
        if self.process.by_message {
            let sending = self.channels.control.send(InterruptRequest {}.into());
            // Who takes no message is ended when its grace is over.
            let _late = timeout(SEND_LIMIT, sending).await;
        } else {
            let _refused = self.process.handle.interrupt();
        }
    }

    /// Asks an idle kernel to end, gives it a moment, and ends what is left.
    pub(crate) async fn shut_down(mut self) {
        let asking = async {
            let sent = self.channels.control.send(ShutdownRequest { restart: false }.into()).await;
            if sent.is_ok() {
                self.process.ended().await;
            }
        };
        // One that takes longer is ended by force.
        let _late = timeout(SHUTDOWN_LIMIT, asking).await;
        drop(self.channels);
        self.process.kill().await;
    }

    /// Ends a kernel that may be busy.
    pub(crate) async fn kill(self) {
        drop(self.channels);
        self.process.kill().await;
    }
}

/// How a kernel ended, with the end of what it wrote to its stderr.
pub(crate) fn last_words(report: &ExitReport) -> String {
    let how = match (report.code, report.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "nobody knows how".to_owned(),
    };
    let tail = crate::output::plain(report.stderr_tail.trim());
    let skipped = tail.chars().count().saturating_sub(LAST_CHARS);
    let tail: String = tail.chars().skip(skipped).collect();
    if tail.is_empty() { how } else { format!("{how}; the end of its stderr:\n{tail}") }
}

const SEND_LIMIT: Duration = Duration::from_secs(1);
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(2);
const LAST_CHARS: usize = 2_000;
