//! The writing half: writes lines to the peer, in order.

use std::future::pending;

use agentwire_codec::WireWriter;
use agentwire_transport::{ByteSink, PeerHandle, Signal};
use tokio::time::{Instant, sleep};

use super::Shared;
use crate::{SessionExit, panics::error_chain};

/// Writes until the input ends or a write fails, then waits and keeps the sink.
///
/// After a failed write, the peer may still send output and often ends with a message that names the cause. So reading
/// goes on, and open calls wait a grace period for it.
/// The session ends only if a prompt or an answer was lost and the peer is silent, because its turn may never end.
pub(super) async fn write<S: ByteSink>(
    writer: WireWriter<S>,
    handle: &impl PeerHandle,
    shared: &Shared,
) -> SessionExit {
    let mut guard = FlushOnDrop { writer, handle, shared };
    let writer = &mut guard.writer;
    shared.state.lock().direct_write = writer.write_now();
    while let Some(line) = shared.next_line().await {
        if let Err(error) = writer.write_lines(line).await {
            let why = error_chain(&error);
            shared.input_broken(SessionExit::failed(&*why));
            shared.input_finished();
            let since = Instant::now();
            sleep(shared.config.exit_grace).await;
            shared.fail_pending();
            shared.line_lost().await;
            shared.silence(since).await;
            return SessionExit::failed(why);
        }
    }
    if let Err(error) = writer.finish().await {
        tracing::debug!(%error, "the input could not be ended");
    }
    shared.input_finished();
    pending().await
}

/// Passes unwritten lines and the refusals of open requests to the transport on drop, when no task drives the session.
struct FlushOnDrop<'a, S: ByteSink, L: PeerHandle> {
    writer: WireWriter<S>,
    handle: &'a L,
    shared: &'a Shared,
}

impl<S: ByteSink, L: PeerHandle> Drop for FlushOnDrop<'_, S, L> {
    fn drop(&mut self) {
        // Dropped after the lock is released.
        let _direct_write = self.shared.state.lock().direct_write.take();
        let (lines, unguarded) = self.shared.take_last_lines();
        // Even without lines: the sink may keep the rest of one.
        self.writer.flush_detached(lines);
        // Dropping the sink ends the input, and then queued prompts would run unguarded.
        if unguarded && let Err(error) = self.handle.signal(Signal::Term) {
            tracing::debug!(%error, "an aborted session could not be sent SIGTERM");
        }
    }
}
