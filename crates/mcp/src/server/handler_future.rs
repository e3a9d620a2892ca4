//! The future of a handler, which can clean up after its request was cancelled.

use std::{
    future::{Future, pending},
    pin::Pin,
    time::Duration,
};

use tokio::{runtime::Handle, time::timeout};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::session::Outcome;

/// The future of a handler.
///
/// If it is dropped before its end, the handler's token is cancelled, and the handler runs on as a task for [`GRACE`].
pub(super) struct HandlerFuture {
    /// `None` once the handler has ended.
    running: Option<Pin<Box<dyn Future<Output = Outcome> + Send>>>,
    cancelled: CancellationToken,
}

impl HandlerFuture {
    pub(super) fn new(
        handler: impl Future<Output = Outcome> + Send + 'static,
        cancelled: CancellationToken,
    ) -> Self {
        Self { running: Some(Box::pin(handler)), cancelled }
    }

    /// Waits for the handler.
    ///
    /// The handler stays in `self`: if this future is dropped, the handler may still clean up.
    pub(super) async fn outcome(mut self) -> Outcome {
        let Some(running) = &mut self.running else { return pending().await };
        let outcome = running.await;
        self.running = None;
        outcome
    }
}

impl Drop for HandlerFuture {
    fn drop(&mut self) {
        let Some(running) = self.running.take() else { return };
        self.cancelled.cancel();
        if let Ok(runtime) = Handle::try_current() {
            // The timeout bounds the task.
            runtime.spawn(timeout(GRACE, running).instrument(Span::current()));
        }
    }
}

/// How long a handler may clean up after its request was cancelled.
pub(crate) const GRACE: Duration = Duration::from_secs(5);
