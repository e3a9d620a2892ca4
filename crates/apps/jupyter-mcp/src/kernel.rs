//! A kernel: its process group and the sockets to it.

mod channels;
mod read;
mod start;

use std::convert::Infallible;
use std::time::Duration;

use agentwire_transport::process::ProcessHandle;
use agentwire_transport::{ExitReport, PeerHandle as _, Signal};
use jupyter_protocol::{InterruptRequest, KernelInfoReply, KernelInfoRequest, ShutdownRequest};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

pub(crate) use channels::{Channels, parent_is};
pub(crate) use read::read;
#[cfg(test)]
pub(crate) use start::fake;

/// A running kernel. Dropping it closes the sockets and kills the process group.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Dropped before the process, so that no socket reconnects.
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
    /// Closed when the whole process group has exited.
    gone: oneshot::Receiver<Infallible>,
    /// Reads the kernel's standard output, so that the kernel never blocks on it.
    _stdout: AbortOnDropHandle<()>,
}

impl Process {
    pub(crate) fn id(&self) -> u32 {
        self.handle.pid()
    }

    /// Waits until the kernel has exited; its output may still be unread.
    pub(crate) async fn ended(&self) -> ExitReport {
        let mut report = self.handle.wait().await;
        if report.stderr_tail.is_empty() {
            report.stderr_tail = self.handle.stderr_tail();
        }
        report
    }

    /// Kills the kernel and waits until its process group has exited, up to a limit.
    pub(crate) async fn kill(self) {
        // Fails only if the group is gone.
        let _refused = self.handle.signal(Signal::Kill);
        self.close().await;
    }

    async fn close(self) {
        drop(self.handle);
        // The sender is dropped when the process is gone. One that waits for a disk ignores signals: the wait has a limit.
        let _late = timeout(KILL_LIMIT, self.gone).await;
    }
}

impl Kernel {
    /// Interrupts the running code, by a signal or a message as in the kernel's specification.
    pub(crate) async fn interrupt(&mut self) {
        if self.process.by_message {
            let sending = self.channels.control.send(InterruptRequest {}.into());
            // A kernel that does not accept the message is killed after the grace period.
            let _late = timeout(SEND_LIMIT, sending).await;
        } else {
            let _refused = self.process.handle.interrupt();
            // ipykernel notices the interrupt of code that awaits only when a message wakes its loop.
            let waking = self.channels.shell.send(KernelInfoRequest {}.into());
            let _late = timeout(SEND_LIMIT, waking).await;
        }
    }

    /// Asks an idle kernel to shut down, and kills it after a short time.
    pub(crate) async fn shut_down(mut self) {
        let asking = async {
            let sent = self.channels.control.send(ShutdownRequest { restart: false }.into()).await;
            if sent.is_ok() {
                self.process.ended().await;
            }
        };
        // A slower kernel is killed.
        let _late = timeout(SHUTDOWN_LIMIT, asking).await;
        drop(self.channels);
        self.process.kill().await;
    }

    /// Kills a kernel that may be busy.
    pub(crate) async fn kill(self) {
        drop(self.channels);
        self.process.kill().await;
    }
}

/// Describes a kernel's exit, with the end of its stderr.
pub(crate) fn last_words(report: &ExitReport) -> String {
    let how = match (report.code, report.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "for an unknown reason".to_owned(),
    };
    how + &end_of_stderr(&report.stderr_tail)
}

/// Returns the end of a sentence about a kernel that quotes the end of its stderr, if any.
fn end_of_stderr(tail: &str) -> String {
    let tail = crate::output::plain(tail.trim());
    let skipped = tail.chars().count().saturating_sub(LAST_CHARS);
    let tail: String = tail.chars().skip(skipped).collect();
    if tail.is_empty() { tail } else { format!("; the end of its stderr:\n{tail}") }
}

const SEND_LIMIT: Duration = Duration::from_secs(1);
const KILL_LIMIT: Duration = Duration::from_secs(3);
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(2);
const LAST_CHARS: usize = 2_000;
