//! The writing half: lines to the peer, in order.

use std::future::pending;

use agentwire_codec::WireWriter;
use agentwire_transport::{ByteSink, PeerHandle, Signal};
use tokio::time::{Instant, sleep};

use super::{Shared, chain};
use crate::SessionEnd;

/// Writes until the input is ended, or can't be written to; then waits, and keeps the sink.
///
/// A peer that takes no more input may still speak: it often ends with a message that says why, so reading goes on, and
/// open calls wait a grace for that.
/// It ends the session only where a prompt was refused and the peer is silent, since nothing will come of that prompt.
pub(super) async fn write<S: ByteSink>(
    writer: WireWriter<S>,
    handle: &impl PeerHandle,
    shared: &Shared,
) -> SessionEnd {
    let mut left = Left { writer, handle, shared };
    let writer = &mut left.writer;
    while let Some(lines) = shared.next_lines().await {
        if let Err(error) = writer.write_lines(lines).await {
            let why = chain(&error);
            shared.input_broken(SessionEnd::failed(&*why));
            shared.input_finished();
            let since = Instant::now();
            sleep(shared.config().exit_grace).await;
            shared.fail_pending();
            if !shared.prompt_was_lost() {
                return pending().await;
            }
            shared.silence(since).await;
            return SessionEnd::failed(why);
        }
    }
    if let Err(error) = writer.finish().await {
        tracing::debug!(%error, "the input could not be ended");
    }
    shared.input_finished();
    pending().await
}

/// Leaves what was never written to the transport, with the refusals of open requests: the session may be dropped while
/// nobody drives it.
struct Left<'a, S: ByteSink, L: PeerHandle> {
    writer: WireWriter<S>,
    handle: &'a L,
    shared: &'a Shared,
}

impl<S: ByteSink, L: PeerHandle> Drop for Left<'_, S, L> {
    fn drop(&mut self) {
        let (lines, unguarded) = self.shared.last_words();
        if !lines.is_empty() {
            self.writer.flush_detached(lines);
        }
        // Dropping the sink ends the input, after which the CLI asks nothing: prompts that wait would run unguarded.
        if unguarded && let Err(error) = self.handle.signal(Signal::Term) {
            tracing::debug!(%error, "a session that was given up could not be told to end");
        }
    }
}
