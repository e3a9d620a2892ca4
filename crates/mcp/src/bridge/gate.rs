//! What servers say by themselves waits until the CLI can hear it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio_util::sync::CancellationToken;

/// Closed until the handshake is over, or the CLI speaks to a server.
///
/// Servers are asked for their manifests before the handshake, and may speak then; the CLI ends where its first line
/// is another than the handshake (`--await-initialize`).
#[derive(Clone, Debug, Default)]
pub(super) struct Gate(Arc<Opening>);

#[derive(Debug, Default)]
struct Opening {
    /// Whether the token has fired: it is asked at each message, and the token has a lock.
    open: AtomicBool,
    opened: CancellationToken,
}

impl Gate {
    pub(super) fn open(&self) {
        if !self.0.open.load(Ordering::Relaxed) {
            self.0.opened.cancel();
            self.0.open.store(true, Ordering::Relaxed);
        }
    }

    pub(super) async fn passed(&self) {
        self.0.opened.cancelled().await;
    }
}
