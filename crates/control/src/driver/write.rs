//! The writing half: lines to the peer, in order.

use std::{convert::Infallible, future::pending};

use agentwire_codec::WireWriter;
use agentwire_transport::ByteSink;
use tokio::time::sleep;

use super::{Shared, chain};

/// Writes until the input is ended, or can't be written to; then waits for ever, and keeps the sink.
///
/// A peer that takes no more input may still speak: it often ends with a message that says why, so reading goes on, and
/// open calls wait a grace for that.
pub(super) async fn write<S: ByteSink>(mut writer: WireWriter<S>, shared: &Shared) -> Infallible {
    while let Some(line) = shared.next_line().await {
        if let Err(error) = writer.write_line(line).await {
            let why = chain(&error);
            shared.input_broken(&why);
            shared.input_finished();
            sleep(shared.settings().exit_grace).await;
            shared.fail_calls(&why);
            return pending().await;
        }
    }
    if let Err(error) = writer.finish().await {
        tracing::debug!(%error, "the input could not be ended");
    }
    shared.input_finished();
    pending().await
}
