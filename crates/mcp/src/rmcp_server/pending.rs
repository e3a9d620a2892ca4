//! The requests that wait for an `rmcp` service's answer, each under an id that is never used again.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agentwire_protocol::RawJson;
use rmcp::model::RequestId;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use crate::failure::FailureSlot;

/// The requests that wait for the service's answer.
///
/// The service never sees the ids of the CLI's, only ids from a counter.
/// A handler may go on after its request was given up, when the CLI may use the id again; `rmcp`, which knows a request
/// by its id alone, would take the answer of the one for the other's.
#[derive(Debug, Default)]
pub(super) struct PendingRequests(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    requests: HashMap<i64, PendingRequest>,
    entered: i64,
}

#[derive(Debug)]
struct PendingRequest {
    /// The id that the CLI gave the request.
    id: RequestId,
    answer: oneshot::Sender<RawJson>,
    cancelled: CancellationToken,
    scope: RequestScope,
}

/// What a request's handler is seen in, which runs in a task of the service's: taken where the request came in.
#[derive(Clone, Debug)]
pub(crate) struct RequestScope {
    span: Span,
    failure: FailureSlot,
}

impl RequestScope {
    pub(crate) fn here() -> Self {
        Self { span: Span::current(), failure: FailureSlot::current() }
    }

    /// Has the handler seen in it.
    pub(crate) async fn set<F: Future>(self, handler: F) -> F::Output {
        self.failure.watch(handler).instrument(self.span).await
    }
}

impl PendingRequests {
    /// Enters a request of the CLI's, until the [`PendingGuard`] is dropped.
    pub(super) fn enter(self: &Arc<Self>, id: RequestId) -> (PendingGuard, oneshot::Receiver<RawJson>) {
        let (answer, receiver) = oneshot::channel();
        let cancelled = CancellationToken::new();
        let mut table = self.lock();
        let number = table.entered;
        table.entered += 1;
        table.requests.insert(
            number,
            PendingRequest { id, answer, cancelled: cancelled.clone(), scope: RequestScope::here() },
        );
        (PendingGuard { pending: Arc::clone(self), number, cancelled }, receiver)
    }

    /// The service's id of the newest request with this id of the CLI's; `None` where nobody guard for it.
    pub(super) fn service_id(&self, id: &RequestId) -> Option<RequestId> {
        let table = self.lock();
        let of_that_id = table.requests.iter().filter(|(_, request)| request.id == *id);
        of_that_id.map(|(number, _)| *number).max().map(RequestId::Number)
    }

    /// The CLI's id of a request of the service's; `None` where nobody guard for it any more.
    pub(super) fn cli_id(&self, id: &RequestId) -> Option<RequestId> {
        self.lock().requests.get(&number(id)?).map(|request| request.id.clone())
    }

    /// The token of a request of the service's, and its scope; `None` where nobody guard for it any more.
    pub(super) fn started(&self, id: &RequestId) -> Option<(CancellationToken, RequestScope)> {
        let table = self.lock();
        let request = table.requests.get(&number(id)?)?;
        Some((request.cancelled.clone(), request.scope.clone()))
    }

    /// Hands an answer of the service's to who guard for it.
    pub(super) fn answer(&self, id: &RequestId, answer: RawJson) {
        // Nobody guard for the answer to a cancelled request.
        if let Some(number) = number(id)
            && let Some(request) = self.lock().requests.remove(&number)
            && request.answer.send(answer).is_err()
        {
            tracing::debug!(id = %request.id, "an answer came after its request was given up");
        }
    }

    /// The service has ended: nobody gets an answer any more.
    pub(super) fn end(&self) {
        self.lock().requests.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody guard; when nobody does any more, the request is cancelled.
#[derive(Debug)]
pub(super) struct PendingGuard {
    pending: Arc<PendingRequests>,
    number: i64,
    cancelled: CancellationToken,
}

impl PendingGuard {
    /// The id that the service is to know the request by.
    pub(super) fn service_id(&self) -> RequestId {
        RequestId::Number(self.number)
    }
}

impl Drop for PendingGuard {
    fn drop(&mut self) {
        self.cancelled.cancel();
        self.pending.lock().requests.remove(&self.number);
    }
}

/// The number of an id of the service's, all of which come from the counter.
fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(_) => None,
    }
}
