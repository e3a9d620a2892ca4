//! The requests that wait for an `rmcp` service's answer, each under an id that is never used again.

use std::{collections::HashMap, sync::Arc};

use agentwire_control::Lock;
use agentwire_protocol::RawJson;
use rmcp::model::RequestId;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use crate::failure::FailureSlot;

/// The requests that wait for the service's answer, by ids from a counter.
///
/// The service never gets the CLI's ids. A handler may outlive its cancelled request, and the CLI may then reuse the id;
/// `rmcp`, which identifies requests by id alone, would mix up the two answers.
#[derive(Debug, Default)]
pub(super) struct PendingRequests(Lock<Table>);

#[derive(Debug, Default)]
struct Table {
    requests: HashMap<i64, PendingRequest>,
    entered: i64,
}

#[derive(Debug)]
struct PendingRequest {
    /// The CLI's id of the request.
    id: RequestId,
    answer: oneshot::Sender<RawJson>,
    cancelled: CancellationToken,
    scope: RequestScope,
}

/// The span and the failure slot of a request, for its handler, which runs in a task of the service.
#[derive(Clone, Debug)]
pub(crate) struct RequestScope {
    span: Span,
    failure: FailureSlot,
}

impl RequestScope {
    pub(crate) fn here() -> Self {
        Self { span: Span::current(), failure: FailureSlot::current() }
    }

    /// Runs the handler in this scope.
    pub(crate) async fn set<F: Future>(self, handler: F) -> F::Output {
        self.failure.watch(handler).instrument(self.span).await
    }
}

impl PendingRequests {
    /// Registers a request of the CLI until the [`PendingGuard`] is dropped.
    pub(super) fn enter(self: &Arc<Self>, id: RequestId) -> (PendingGuard, oneshot::Receiver<RawJson>) {
        let (answer, receiver) = oneshot::channel();
        let cancelled = CancellationToken::new();
        let mut table = self.0.lock();
        let number = table.entered;
        table.entered += 1;
        table.requests.insert(
            number,
            PendingRequest { id, answer, cancelled: cancelled.clone(), scope: RequestScope::here() },
        );
        (PendingGuard { pending: Arc::clone(self), number, cancelled }, receiver)
    }

    /// Returns the service's id of the newest request with this CLI id, or `None` if no such request is pending.
    pub(super) fn service_id(&self, id: &RequestId) -> Option<RequestId> {
        let table = self.0.lock();
        let of_that_id = table.requests.iter().filter(|(_, request)| request.id == *id);
        of_that_id.map(|(number, _)| *number).max().map(RequestId::Number)
    }

    /// Returns the CLI's id of a request, or `None` if it is no longer pending.
    pub(super) fn cli_id(&self, id: &RequestId) -> Option<RequestId> {
        self.0.lock().requests.get(&number(id)?).map(|request| request.id.clone())
    }

    /// Returns the token and the scope of a request, or `None` if it is no longer pending.
    pub(super) fn started(&self, id: &RequestId) -> Option<(CancellationToken, RequestScope)> {
        let table = self.0.lock();
        let request = table.requests.get(&number(id)?)?;
        Some((request.cancelled.clone(), request.scope.clone()))
    }

    /// Passes an answer of the service to the pending request.
    pub(super) fn answer(&self, id: &RequestId, answer: RawJson) {
        // A cancelled request is no longer pending, so its answer is dropped.
        if let Some(number) = number(id)
            && let Some(request) = self.0.lock().requests.remove(&number)
            && request.answer.send(answer).is_err()
        {
            tracing::debug!(id = %request.id, "an answer came after its request was cancelled");
        }
    }

    /// Fails all requests, since the service has ended.
    pub(super) fn end(&self) {
        self.0.lock().requests.clear();
    }
}

/// Cancels a pending request when it is dropped.
#[derive(Debug)]
pub(super) struct PendingGuard {
    pending: Arc<PendingRequests>,
    number: i64,
    cancelled: CancellationToken,
}

impl PendingGuard {
    /// Returns the request's id for the service.
    pub(super) fn service_id(&self) -> RequestId {
        RequestId::Number(self.number)
    }
}

impl Drop for PendingGuard {
    fn drop(&mut self) {
        self.cancelled.cancel();
        self.pending.0.lock().requests.remove(&self.number);
    }
}

/// Returns the number of a service id; all of them come from the counter.
fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(_) => None,
    }
}
