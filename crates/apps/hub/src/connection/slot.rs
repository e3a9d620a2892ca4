//! What there is of a server while it runs: held apart from whatever waits, so that it can be ended in order.

use std::{pin::Pin, sync::Arc, time::Duration};

use rmcp::{
    RoleClient,
    service::{RunningService, RunningServiceCancellationToken},
};
use tokio::time::timeout;

use super::Record;
#[cfg(feature = "http")]
use crate::transport::link::Link;
use crate::{client::Client, transport::stdio::Child};

/// What there is of a server while it runs. Dropping it ends the server too, and waits for nothing.
#[derive(Default)]
pub(super) struct Slot {
    pub(super) child: Option<Child>,
    /// What the transport over HTTP knows, where it is one.
    #[cfg(feature = "http")]
    pub(super) link: Option<Arc<Link>>,
    service: Option<Service>,
    record: Arc<Record>,
}

/// The task of `rmcp`, which ends by itself, or when it is told to.
struct Service {
    over: Pin<Box<dyn Future<Output = ()> + Send>>,
    stop: Option<RunningServiceCancellationToken>,
}

impl Slot {
    /// Nothing yet; what goes wrong at its end is noted.
    pub(super) fn new(record: Arc<Record>) -> Self {
        Self { record, ..Self::default() }
    }

    pub(super) fn serve(&mut self, service: RunningService<RoleClient, Client>) {
        let stop = Some(service.cancellation_token());
        let over = Box::pin(async move {
            if let Err(error) = service.waiting().await {
                tracing::error!(%error, "the task of a connection has failed");
            }
        });
        self.service = Some(Service { over, stop });
    }

    /// Waits for the end of the connection; for ever where there is none. Cancel-safe.
    pub(super) async fn over(&mut self) {
        match &mut self.service {
            Some(service) => service.over.as_mut().await,
            None => std::future::pending().await,
        }
        self.service = None;
    }

    /// Ends everything, and returns when nothing is left of it, within the graces of a process.
    ///
    /// Cancel-safe: what a dropped future has not seen the end of, the next one waits for.
    pub(super) async fn end(&mut self) {
        let Self { child, service, record, .. } = self;
        let service = async {
            if let Some(running) = service {
                if let Some(stop) = running.stop.take() {
                    stop.cancel();
                }
                // It is bounded itself, but for a server over HTTP that does not take the end of its session.
                if timeout(GOODBYE, running.over.as_mut()).await.is_err() {
                    record.note("its session did not end in time; it is left to itself");
                }
            }
            // What is over must not be polled by whoever waits for the rest after this was dropped.
            *service = None;
        };
        let child = async {
            if let Some(child) = child {
                child.close().await;
            }
        };
        tokio::join!(service, child);
        *self = Self::new(Arc::clone(&self.record));
    }
}

/// How long the end of a session may take.
const GOODBYE: Duration = Duration::from_secs(3);

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_session_that_does_not_end_is_left_and_told() {
        let service = Service { over: Box::pin(std::future::pending()), stop: None };
        let mut slot = Slot { service: Some(service), ..Slot::default() };
        slot.end().await;
        assert!(slot.record.troubles()[0].what.contains("left to itself"));
    }

    #[tokio::test]
    async fn an_end_that_was_dropped_is_waited_for_again() {
        let (kept, child) = Child::held();
        let mut slot = Slot { child: Some(child), ..Slot::default() };
        slot.service = Some(Service { over: Box::pin(async {}), stop: None });
        assert_eq!(slot.end().now_or_never(), None);
        assert_eq!(slot.end().now_or_never(), None);
        drop(kept);
        slot.end().await;
        assert!(slot.child.is_none());
    }
}
