//! The resources of a running server. They are kept outside of the futures that wait, so that they can be ended in order.

use std::{pin::Pin, sync::Arc, time::Duration};

use rmcp::{
    RoleClient,
    service::{RunningService, RunningServiceCancellationToken},
};
use tokio::time::timeout;

use super::Record;
#[cfg(feature = "http")]
use crate::transport::{link::Link, web::AccessTokens};
use crate::{client::Client, transport::stdio::Child};

/// The resources of a running server. Dropping it ends the server without waiting.
#[derive(Default)]
pub(super) struct Slot {
    pub(super) child: Option<Child>,
    /// The state of a transport over HTTP, and its tokens.
    #[cfg(feature = "http")]
    pub(super) link: Option<Arc<Link>>,
    #[cfg(feature = "http")]
    pub(super) tokens: Option<AccessTokens>,
    service: Option<Service>,
    pub(super) record: Arc<Record>,
}

/// The task of `rmcp`.
struct Service {
    over: Pin<Box<dyn Future<Output = ()> + Send>>,
    stop: Option<RunningServiceCancellationToken>,
}

impl Slot {
    /// Creates an empty slot. Errors at the end are added to the record.
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

    /// Waits for the end of the connection, or forever if there is none. Cancel-safe.
    pub(super) async fn over(&mut self) {
        match &mut self.service {
            Some(service) => service.over.as_mut().await,
            None => std::future::pending().await,
        }
        self.service = None;
    }

    /// Ends the connection and the process, and waits until they are gone, at most the grace periods of a process.
    ///
    /// Cancel-safe: after a dropped future, the next call continues to wait.
    pub(super) async fn end(&mut self) {
        let Self { child, service, record, .. } = self;
        let service = async {
            if let Some(running) = service {
                if let Some(stop) = running.stop.take() {
                    stop.cancel();
                }
                // Only a server over HTTP that does not confirm the end of its session takes this long.
                if timeout(SESSION_END_TIMEOUT, running.over.as_mut()).await.is_err() {
                    record.note("its session did not end in time; it is left to itself");
                }
            }
            // A completed future must not be polled again by the next call.
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
const SESSION_END_TIMEOUT: Duration = Duration::from_secs(3);

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn session_that_does_not_end_is_abandoned_and_recorded() {
        let service = Service { over: Box::pin(std::future::pending()), stop: None };
        let mut slot = Slot { service: Some(service), ..Slot::default() };
        slot.end().await;
        assert!(slot.record.troubles()[0].what.contains("left to itself"));
    }

    #[tokio::test]
    async fn next_end_continues_after_a_dropped_one() {
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
