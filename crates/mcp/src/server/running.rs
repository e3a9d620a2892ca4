//! Running a handler, which may clean up after its request was cancelled.

use std::{
    future::{Future, pending},
    mem,
    pin::Pin,
    time::Duration,
};

use tokio::{runtime::Handle, time::timeout};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::session::Outcome;

/// A handler that has not started, and the token that cancels it.
pub(super) type UnstartedHandler = (Pin<Box<dyn Future<Output = Outcome> + Send>>, CancellationToken);

/// Runs a handler.
///
/// If this future is dropped before the end of a handler that has started, the handler's token is cancelled, and the
/// handler runs on as a task for [`GRACE`].
pub(super) async fn run((running, cancelled): UnstartedHandler) -> Outcome {
    let mut handler = RunningHandler { running, has_ended: false, cancelled };
    let outcome = handler.running.as_mut().await;
    handler.has_ended = true;
    outcome
}

/// A handler that has started.
struct RunningHandler {
    running: Pin<Box<dyn Future<Output = Outcome> + Send>>,
    has_ended: bool,
    cancelled: CancellationToken,
}

impl Drop for RunningHandler {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        self.cancelled.cancel();
        if let Ok(runtime) = Handle::try_current() {
            let running = mem::replace(&mut self.running, Box::pin(pending()));
            // The timeout bounds the task.
            runtime.spawn(timeout(GRACE, running).instrument(Span::current()));
        }
    }
}

/// How long a handler may clean up after its request was cancelled.
pub(crate) const GRACE: Duration = Duration::from_secs(5);
