//! The three parts of an open replay.

use std::{io, sync::Arc};

use agentwire_transport::{ByteSink, ByteSource, Connected, ExitReport, PeerHandle, Signal, TransportError};
use bytes::Bytes;
use tokio::time::timeout;

use super::{Shared, player::Player};

/// The output of the replayed CLI.
///
/// Reading fails once if our lines do not match or a wait times out; the error has the reason.
#[derive(Debug)]
pub struct ReplaySource {
    shared: Arc<Shared>,
    failed: bool,
}

/// The input of the replayed CLI, which checks it.
///
/// Writing fails as with a closed pipe after a mismatch. Dropping it ends the input.
#[derive(Debug)]
pub struct ReplaySink {
    shared: Arc<Shared>,
}

/// The replayed CLI's life: it ends as recorded.
///
/// `signal` counts as the recorded signal. If none was recorded, it ends the replay.
/// Dropping it ends the input, and a signal that is recorded next counts as sent.
#[derive(Debug)]
pub struct ReplayPeer {
    shared: Arc<Shared>,
}

pub(super) fn open(shared: Arc<Shared>) -> Connected<ReplaySource, ReplaySink, ReplayPeer> {
    Connected {
        source: ReplaySource { shared: Arc::clone(&shared), failed: false },
        sink: ReplaySink { shared: Arc::clone(&shared) },
        handle: ReplayPeer { shared },
    }
}

impl ByteSource for ReplaySource {
    async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
        loop {
            let (limit, cursor) = {
                let mut player = self.shared.player();
                if let Some(piece) = player.read() {
                    return Ok(Some(piece));
                }
                if let Some(mismatch) = &player.mismatch {
                    let source = io::Error::other(mismatch.clone());
                    let error = TransportError::Io { action: "replaying the transcript", source };
                    return if std::mem::replace(&mut self.failed, true) { Ok(None) } else { Err(error) };
                }
                if player.is_over() {
                    return Ok(None);
                }
                (player.limit, player.cursor)
            };
            // The awaited line begins another wait, even if the CLI does not reply to it.
            let moved = |player: &mut Player| (!player.is_idle() || player.cursor != cursor).then_some(());
            let moved = self.shared.wait(moved);
            if timeout(limit, moved).await.is_err() {
                self.shared.change(Player::give_up);
            }
        }
    }
}

impl ByteSink for ReplaySink {
    async fn write(&mut self, chunk: Bytes) -> Result<(), TransportError> {
        let fits = self.shared.change(|player| player.write(&chunk));
        if fits { Ok(()) } else { Err(TransportError::Closed) }
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        self.shared.change(Player::finish);
        Ok(())
    }

    fn flush_detached(&mut self, rest: Bytes) {
        // After the end of the recording it reaches nobody, and was not recorded.
        self.shared.change(|player| player.is_over() || player.write(&rest));
    }
}

impl Drop for ReplaySink {
    fn drop(&mut self) {
        self.shared.change(Player::finish);
    }
}

impl PeerHandle for ReplayPeer {
    async fn wait(&self) -> ExitReport {
        self.shared.wait(|player| player.exit()).await
    }

    fn signal(&self, signal: Signal) -> Result<(), TransportError> {
        self.shared.change(|player| player.terminate(signal));
        Ok(())
    }

    fn has_process(&self) -> bool {
        self.shared.player().has_end()
    }

    fn stderr_tail(&self) -> String {
        self.shared.player().stderr.clone()
    }
}

impl Drop for ReplayPeer {
    fn drop(&mut self) {
        self.shared.change(Player::release);
    }
}
