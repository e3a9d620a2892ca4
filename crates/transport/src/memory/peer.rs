//! The test's side of the in-process pair.

use std::sync::Arc;

use bytes::Bytes;

use super::Shared;
use crate::{
    error::{ExitReport, TransportError},
    transport::Signal,
};

/// The peer of [`memory`](super::memory()), played by a test.
///
/// All methods take `&self`, so that one task can read while another writes.
/// Dropping it closes its output and input, and ends the peer with an empty report if [`MemoryPeer::end`] was not called.
pub struct MemoryPeer {
    pub(super) shared: Arc<Shared>,
}

impl MemoryPeer {
    /// Waits for input from the host. Returns `None` when the host has ended the input. Cancel-safe.
    pub async fn read(&self) -> Option<Bytes> {
        // The host only closes this pipe, and never breaks it, so there is no error to lose.
        self.shared.input.read().await.unwrap_or_default()
    }

    /// Writes to the host, and waits until the whole chunk is in the pipe.
    ///
    /// If the future is dropped halfway, only the first part of the chunk is written.
    ///
    /// # Errors
    ///
    /// [`TransportError::Closed`] if the host has dropped its source, or the output is closed.
    pub async fn write(&self, chunk: impl Into<Bytes>) -> Result<(), TransportError> {
        self.shared.output.write(&mut chunk.into()).await
    }

    /// Ends the output, after everything written before. The peer lives on.
    pub fn close_output(&self) {
        self.shared.output.close(None);
    }

    /// Ends the output with an error, which the host reads once, after everything written before.
    pub fn break_output(&self, error: TransportError) {
        self.shared.output.close(Some(error));
    }

    /// Closes the input: the host's writes fail with [`TransportError::Closed`].
    pub fn close_input(&self) {
        self.shared.input.abandon();
    }

    /// Ends the peer: the host's handle resolves to this report. The pipes stay open.
    pub fn end(&self, report: ExitReport) {
        self.shared.ended.set(report);
    }

    /// Sets the stderr tail that the host's handle returns.
    pub fn set_stderr_tail(&self, tail: impl Into<String>) {
        *self.shared.stderr.lock() = tail.into();
    }

    /// Returns the signals that the host has sent so far, in order.
    pub fn terminations(&self) -> Vec<Signal> {
        self.shared.terminations.lock().clone()
    }

    /// Waits for the first signal of the host. Cancel-safe.
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
        self.shared.ended.set(ExitReport::default());
    }
}

debug_by_name!(MemoryPeer);
