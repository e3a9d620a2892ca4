//! A tool that is run by who waits for its output.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::{runtime::Handle, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    ToolOutput,
    rmcp_server::{GRACE, RequestScope},
    server::handler::guarded,
    tool::Running,
};

/// A tool that is run by who waits for its output.
///
/// Where nobody waits any more, it is told, and goes on as a task for a grace.
pub(super) struct Calling {
    /// `None` once it has ended.
    running: Option<Running>,
    cancelled: CancellationToken,
}

impl Calling {
    pub(super) fn new(running: Running, cancelled: CancellationToken) -> Self {
        Self { running: Some(running), cancelled }
    }
}

impl Future for Calling {
    type Output = ToolOutput;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<ToolOutput> {
        // One that panics is gone, and must not go on.
        let Some(mut running) = self.running.take() else { return Poll::Pending };
        let output = running.as_mut().poll(task);
        if output.is_pending() {
            self.running = Some(running);
        }
        output
    }
}

impl Drop for Calling {
    fn drop(&mut self) {
        let Some(running) = self.running.take() else { return };
        self.cancelled.cancel();
        if let Ok(runtime) = Handle::try_current() {
            // It ends within the grace, by itself or not.
            runtime.spawn(RequestScope::here().set(timeout(GRACE, guarded(running))));
        }
    }
}
