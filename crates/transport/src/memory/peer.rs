//! The test's side of the in-process pair: what a test does in the CLI's place.

use std::{
    fmt,
    sync::{Arc, PoisonError},
};

use bytes::Bytes;

use super::Shared;
use crate::{
    error::{ExitReport, TransportError},
    transport::Signal,
};

/// The peer in [`memory`](super::memory()), played by a test.
///
/// All methods take `&self`, so that one task may read while another writes.
/// Dropping it ends its output, refuses its input, and ends its life with an empty report where
/// [`MemoryPeer::end`] was not called.
pub struct MemoryPeer {
    shared: Arc<Shared>,
}

impl MemoryPeer {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Waits for what the host writes: `None` when the host has ended this peer's input. Cancel-safe.
    pub async fn read(&self) -> Option<Bytes> {
        // The host's side of this pipe is never broken, only closed.
        self.shared.input.read().await.unwrap_or_default()
    }

    /// Writes to the host, and waits until all of it is in the pipe.
    ///
    /// A future dropped half-way has written a first part of the chunk.
    ///
    /// # Errors
    ///
    /// [`TransportError::Closed`] when the host has dropped its source, or the output is closed already.
    pub async fn write(&self, chunk: impl Into<Bytes>) -> Result<(), TransportError> {
        self.shared.output.write(&mut chunk.into()).await
    }

    /// Ends this peer's output, after everything written before. Its life goes on.
    pub fn close_output(&self) {
        self.shared.output.close(None);
    }

    /// Ends this peer's output abnormally: after everything written before, the host reads this error, once.
    pub fn break_output(&self, error: TransportError) {
        self.shared.output.close(Some(error));
    }

    /// Takes no more input: the host's writes fail with [`TransportError::Closed`].
    pub fn close_input(&self) {
        self.shared.input.abandon();
    }

    /// Ends this peer's life: the host's handle resolves to this report. The pipes stay as they are.
    pub fn end(&self, report: ExitReport) {
        self.shared.ended.settle(report);
    }

    /// What the host's handle tells as the tail of this peer's stderr, from now on.
    pub fn set_stderr_tail(&self, tail: impl Into<String>) {
        *self.shared.stderr.lock().unwrap_or_else(PoisonError::into_inner) = tail.into();
    }

    /// How the host has asked this peer to end so far, in order.
    pub fn terminations(&self) -> Vec<Signal> {
        self.shared.terminations.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until the host asks this peer to end, and says how it was asked first. Cancel-safe.
    pub async fn terminated(&self) -> Signal {
        self.shared.first_termination.wait().await
    }

    /// Waits until the host has dropped its handle. Cancel-safe.
    pub async fn released(&self) {
        self.shared.released.wait().await;
    }
}

impl Drop for MemoryPeer {
    fn drop(&mut self) {
        self.shared.input.abandon();
        self.shared.output.close(None);
        self.shared.ended.settle(ExitReport::default());
    }
}

impl fmt::Debug for MemoryPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryPeer").finish_non_exhaustive()
    }
}
