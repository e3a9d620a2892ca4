//! Holds the servers' own messages back until the handshake is over.

use tokio_util::sync::CancellationToken;

/// A gate that opens after the handshake, or when the CLI sends a message to a server.
///
/// A server may send messages while its manifest is made, before the handshake. The CLI exits if the first line that it
/// reads is not the handshake (`--await-initialize`).
#[derive(Clone, Debug, Default)]
pub(super) struct Gate(CancellationToken);

impl Gate {
    pub(super) fn open(&self) {
        self.0.cancel();
    }

    pub(super) async fn wait(&self) {
        self.0.cancelled().await;
    }
}
