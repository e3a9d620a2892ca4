//! The writing half: lines to the peer, in order.

use std::future::pending;

use agentwire_codec::WireWriter;
use agentwire_transport::ByteSink;
use tokio::time::{Instant, sleep};

use super::{Shared, chain};
use crate::Ending;

/// Writes until the input is ended, or can't be written to; then waits, and keeps the sink.
///
/// A peer that takes no more input may still speak: it often ends with a message that says why, so reading goes on, and
/// open calls wait a grace for that.
/// It ends the session only where a prompt was refused and the peer is silent, since nothing will come of that prompt.
pub(super) async fn write<S: ByteSink>(writer: WireWriter<S>, shared: &Shared) -> Ending {
    let mut left = Left { writer, shared };
    let writer = &mut left.writer;
    while let Some(lines) = shared.next_lines().await {
        if let Err(error) = writer.write_lines(lines).await {
            let why = chain(&error);
            shared.input_broken(&why);
            shared.input_finished();
            let since = Instant::now();
            sleep(shared.settings().exit_grace).await;
            shared.give_input_up();
            if !shared.prompt_was_lost() {
                return pending().await;
            }
            shared.silence(since).await;
            return Ending::failed(why);
        }
    }
    if let Err(error) = writer.finish().await {
        tracing::debug!(%error, "the input could not be ended");
    }
    shared.input_finished();
    pending().await
}

/// Leaves what was sent and never written to the transport: the session may be dropped while nobody drives it.
struct Left<'a, S: ByteSink> {
    writer: WireWriter<S>,
    shared: &'a Shared,
}

impl<S: ByteSink> Drop for Left<'_, S> {
    fn drop(&mut self) {
        let lines = self.shared.unwritten_lines();
        if !lines.is_empty() {
            self.writer.leave(lines);
        }
    }
}
