//! What servers say by themselves waits until the CLI can hear it.

use tokio_util::sync::CancellationToken;

/// Closed until the handshake is over, or the CLI speaks to a server.
///
/// Servers are asked for their manifests before the handshake, and may speak then; the CLI ends where its first line
/// is another than the handshake (`--await-initialize`).
#[derive(Clone, Debug, Default)]
pub(super) struct Gate(CancellationToken);

impl Gate {
    pub(super) fn open(&self) {
        self.0.cancel();
    }

    pub(super) async fn passed(&self) {
        self.0.cancelled().await;
    }
}
