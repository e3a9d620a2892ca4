//! Running a handler, which may clean up after its request was cancelled.

use std::{
    future::{Future, pending},
    pin::Pin,
    time::Duration,
};

use tokio::{runtime::Handle, time::timeout};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::session::Outcome;

/// A handler that has not started, and the token that cancels it.
pub(super) type Handler = (Pin<Box<dyn Future<Output = Outcome> + Send>>, CancellationToken);

/// Runs a handler.
///
/// If this future is dropped before the end of a handler that has started, the handler's token is cancelled, and the
/// handler runs on as a task for [`GRACE`].
pub(super) async fn run((handler, cancelled): Handler) -> Outcome {
    let mut handler = RunningHandler { running: Some(handler), cancelled };
    let Some(running) = &mut handler.running else { return pending().await };
    let outcome = running.await;
    handler.running = None;
    outcome
}

/// A handler that has started.
struct RunningHandler {
    /// `None` once the handler has ended.
    running: Option<Pin<Box<dyn Future<Output = Outcome> + Send>>>,
    cancelled: CancellationToken,
}

impl Drop for RunningHandler {
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
