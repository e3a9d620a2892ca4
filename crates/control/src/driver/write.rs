//! The writing half: lines to the peer, in order.

use std::{convert::Infallible, future::pending};

use agentwire_codec::WireWriter;
use agentwire_transport::ByteSink;

use super::Shared;

/// Writes until the input is ended, or can't be written to; then waits for ever.
pub(super) async fn write<S: ByteSink>(mut writer: WireWriter<S>, shared: &Shared) -> Infallible {
    while let Some(line) = shared.next_line().await {
        if let Err(error) = writer.write_line(line).await {
            shared.write_failed(&error.to_string());
            return pending().await;
        }
    }
    if let Err(error) = writer.finish().await {
        tracing::debug!(%error, "the input could not be ended");
    }
    // The sink stays: dropping it is the transport's to judge, and the session still reads.
    pending().await
}
