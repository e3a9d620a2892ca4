//! The reading half: passes frames to the router, and watches for the end of the peer.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use agentwire_codec::{Batch, Frame, FrameError, FrameKind, WireError, WireReader};
use agentwire_transport::{ByteSource, ExitReport, PeerHandle};
use tokio::{
    task::coop::consume_budget,
    time::{Instant, timeout},
};

use super::{Host, Shared, callbacks};
use crate::{FrameFilter, SessionExit, panics::error_chain};

/// Reads until the peer ends, and returns how it ended.
///
/// Watches both the process and its output, because either may end without the other.
pub(super) async fn read<S: ByteSource, L: PeerHandle>(
    reader: &mut WireReader<S>,
    handle: &L,
    host: &Host,
) -> SessionExit {
    let shared = &host.shared;
    // One future for all reads, because creating it allocates and takes a lock.
    let ended = pin!(async {
        let exit = handle.wait().await;
        // A custom handle may report its stderr separately.
        if exit.stderr_tail.is_empty() { exit.with_stderr_tail(handle.stderr_tail()) } else { exit }
    });
    let left = shared.config.exit_grace;
    let mut peer = OutputPeer { handle, ended, shared, exit: None, left };
    let failure = read_output(reader, &mut peer, host).await;
    let ending = peer.ending(shared.config.exit_grace).await;
    SessionExit { transport: failure.or(ending.transport), ..ending }
}

/// Reads to the end of the output, and returns the error if it ended with one.
async fn read_output<S: ByteSource, L: PeerHandle, E: Future<Output = ExitReport>>(
    reader: &mut WireReader<S>,
    peer: &mut OutputPeer<'_, L, E>,
    host: &Host,
) -> Option<String> {
    loop {
        peer.may_read().await;
        match peer.while_alive(reader.read()).await? {
            Ok(Some(batch)) => handle_batch(batch, host),
            Ok(None) => return None,
            Err(error) => return Some(error_chain(&error)),
        }
        // A source that is always ready must not starve the writing half.
        consume_budget().await;
    }
}

/// Passes a batch to the router in the order of its lines.
///
/// Callbacks start before a later line takes effect. Consecutive requests are passed on together.
fn handle_batch(batch: Batch, host: &Host) {
    let mut lines = Vec::new();
    let mut starts_callback = false;
    for line in batch {
        let Some(line) = filter_line(line, &host.filters) else { continue };
        let kind = line.as_ref().ok().map(|frame| &frame.kind);
        let is_request = matches!(kind, Some(FrameKind::Request(_)));
        if starts_callback && !is_request {
            handle_lines(host, lines.drain(..));
        }
        // A response may list requests.
        starts_callback = is_request || matches!(kind, Some(FrameKind::Response(_)));
        lines.push(line);
    }
    if !lines.is_empty() {
        handle_lines(host, lines.drain(..));
    }
}

fn filter_line(
    line: Result<Frame, FrameError>,
    filters: &[Arc<dyn FrameFilter>],
) -> Option<Result<Frame, FrameError>> {
    line.inspect_err(|fault| filters.iter().for_each(|filter| filter.missed(fault)))
        .map(|frame| filters.iter().try_fold(frame, |frame, filter| filter.filter(frame)))
        .transpose()
}

/// Passes lines to the router under one lock, then starts the callbacks of their requests.
fn handle_lines(host: &Host, lines: impl Iterator<Item = Result<Frame, FrameError>>) {
    let callbacks = host.shared.handle_lines(lines, &*host.responder);
    host.shared.observe(|observer| observer.settle());
    for callback in callbacks {
        callbacks::start(host, callback);
    }
}

/// The peer's process while its output is read.
struct OutputPeer<'a, L, E> {
    handle: &'a L,
    /// The end of the process. Must not be polled again once `exit` is set.
    ended: Pin<&'a mut E>,
    shared: &'a Shared,
    exit: Option<ExitReport>,
    /// The rest of the grace period for output after the end of the process.
    ///
    /// Its own output is in the pipe and is read at once, so only another process that holds the pipe open uses up this
    /// time. Time in which reading waits for the user does not count.
    left: Duration,
}

impl<L: PeerHandle, E: Future<Output = ExitReport>> OutputPeer<'_, L, E> {
    /// Waits until reading may go on. Watches the process meanwhile, because its open requests may be what pauses reading.
    async fn may_read(&mut self) {
        let shared = self.shared;
        let mut may_read = pin!(shared.may_read());
        if self.exit.is_none() {
            let exit = tokio::select! {
                biased;
                () = &mut may_read => return,
                exit = self.ended.as_mut() => exit,
            };
            self.exited(exit);
        }
        may_read.await;
    }

    /// Records the end of the process. No answer reaches it from now on.
    fn exited(&mut self, exit: ExitReport) {
        self.shared.input_broken(SessionExit::exited(exit.clone()));
        self.exit = Some(exit);
    }

    /// Waits for a read. Returns `None` if the process has ended and its output does not end.
    async fn while_alive(
        &mut self,
        read: impl Future<Output = Result<Option<Batch>, WireError>>,
    ) -> Option<Result<Option<Batch>, WireError>> {
        let mut read = pin!(read);
        if self.exit.is_none() {
            let shared = self.shared;
            tokio::select! {
                biased;
                batch = &mut read => {
                    // After a batch, `may_read` does this under the lock that it takes anyway.
                    if !matches!(batch, Ok(Some(_))) {
                        shared.set_reading(false);
                    }
                    return Some(batch);
                }
                // Polled only while the read waits.
                exit = async {
                    shared.set_reading(true);
                    self.ended.as_mut().await
                } => {
                    shared.set_reading(false);
                    self.exited(exit);
                }
            }
        }
        let since = Instant::now();
        let batch = timeout(self.left, read).await.ok();
        self.left = self.left.saturating_sub(since.elapsed());
        batch
    }

    /// Returns how the process ended, or an error if it did not exit after the end of its output.
    async fn ending(self, grace: Duration) -> SessionExit {
        if let Some(exit) = self.exit {
            return SessionExit::exited(exit);
        }
        let has_process = self.handle.has_process();
        match timeout(if has_process { grace } else { Duration::ZERO }, self.ended).await {
            Ok(exit) => SessionExit::exited(exit),
            Err(_) if has_process => SessionExit::failed("the CLI closed its output and did not exit"),
            Err(_) => SessionExit::default(),
        }
    }
}
