//! The requests that wait for an `rmcp` service's answer, each under an id that is never used again.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agentwire_control::FailureSlot;
use agentwire_protocol::RawJson;
use rmcp::model::RequestId;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

/// The requests that wait for the service's answer.
///
/// The service never sees the ids of the CLI's, only ids from a counter.
/// A handler may go on after its request was given up, when the CLI may use the id again; `rmcp`, which knows a request
/// by its id alone, would take the answer of the one for the other's.
#[derive(Debug, Default)]
pub(super) struct Waiting(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    waiters: HashMap<i64, Waiter>,
    entered: i64,
}

#[derive(Debug)]
struct Waiter {
    /// The id that the CLI gave the request.
    id: RequestId,
    answer: oneshot::Sender<RawJson>,
    cancelled: CancellationToken,
    scene: RequestScope,
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

impl Waiting {
    /// Enters a request of the CLI's, until the [`Waits`] is dropped.
    pub(super) fn enter(self: &Arc<Self>, id: RequestId) -> (Waits, oneshot::Receiver<RawJson>) {
        let (answer, receiver) = oneshot::channel();
        let cancelled = CancellationToken::new();
        let mut table = self.lock();
        let number = table.entered;
        table.entered += 1;
        table
            .waiters
            .insert(number, Waiter { id, answer, cancelled: cancelled.clone(), scene: RequestScope::here() });
        (Waits { waiting: Arc::clone(self), number, cancelled }, receiver)
    }

    /// The service's id of the newest request with this id of the CLI's; `None` where nobody waits for it.
    pub(super) fn service_id(&self, id: &RequestId) -> Option<RequestId> {
        let table = self.lock();
        let of_that_id = table.waiters.iter().filter(|(_, waiter)| waiter.id == *id);
        of_that_id.map(|(number, _)| *number).max().map(RequestId::Number)
    }

    /// The CLI's id of a request of the service's; `None` where nobody waits for it any more.
    pub(super) fn cli_id(&self, id: &RequestId) -> Option<RequestId> {
        self.lock().waiters.get(&number(id)?).map(|waiter| waiter.id.clone())
    }

    /// The token of a request of the service's, and its scene; `None` where nobody waits for it any more.
    pub(super) fn started(&self, id: &RequestId) -> Option<(CancellationToken, RequestScope)> {
        let table = self.lock();
        let waiter = table.waiters.get(&number(id)?)?;
        Some((waiter.cancelled.clone(), waiter.scene.clone()))
    }

    /// Hands an answer of the service's to who waits for it.
    pub(super) fn answer(&self, id: &RequestId, answer: RawJson) {
        // Nobody waits for the answer to a cancelled request.
        if let Some(number) = number(id)
            && let Some(waiter) = self.lock().waiters.remove(&number)
            && waiter.answer.send(answer).is_err()
        {
            tracing::debug!(id = %waiter.id, "an answer came after its request was given up");
        }
    }

    /// The service has ended: nobody gets an answer any more.
    pub(super) fn end(&self) {
        self.lock().waiters.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody waits; when nobody does any more, the request is cancelled.
#[derive(Debug)]
pub(super) struct Waits {
    waiting: Arc<Waiting>,
    number: i64,
    cancelled: CancellationToken,
}

impl Waits {
    /// The id that the service is to know the request by.
    pub(super) fn service_id(&self) -> RequestId {
        RequestId::Number(self.number)
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.cancelled.cancel();
        self.waiting.lock().waiters.remove(&self.number);
    }
}

/// The number of an id of the service's, all of which come from the counter.
fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(_) => None,
    }
}
