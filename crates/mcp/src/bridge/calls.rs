//! The requests in flight, by their JSON-RPC ids.

use std::{
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use agentwire_control::CancellationToken;
use agentwire_protocol::RawJson;
use tokio::sync::Notify;

/// The requests in flight at one server.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls(Arc<Mutex<Table>>);

/// By number, since an id can be used again before all is over that was done under it.
///
/// Mostly there is one request, and never are there many: whatever is sought is looked for one by one.
#[derive(Debug, Default)]
struct Table {
    in_flight: Vec<InFlight>,
    entered: u64,
    connection: u64,
}

#[derive(Debug)]
struct InFlight {
    number: u64,
    id: Box<str>,
    connection: u64,
    given_up: Arc<GivenUp>,
    cancelled: CancellationToken,
}

impl Calls {
    /// The CLI connects anew, and counts its ids anew: what is in flight goes on, and keeps none of them.
    pub(super) fn connect(&self) {
        self.lock().connection += 1;
    }

    /// Enters a request; it is in flight until the call is dropped, and keeps its id until it is given up.
    pub(super) fn enter(&self, id: &RawJson, cancelled: &CancellationToken) -> Result<Call, String> {
        let mut table = self.lock();
        if table.in_flight.len() >= MAX_IN_FLIGHT {
            return Err(format!("{MAX_IN_FLIGHT} requests are in flight at this MCP server"));
        }
        if table.in_flight.iter().any(|other| other.keeps(id, table.connection)) {
            return Err(format!("a request with the JSON-RPC id {id} is in flight already"));
        }
        let (number, connection) = (table.entered, table.connection);
        table.entered += 1;
        let given_up = Arc::<GivenUp>::default();
        table.in_flight.push(InFlight {
            number,
            id: id.as_str().into(),
            connection,
            given_up: Arc::clone(&given_up),
            cancelled: cancelled.clone(),
        });
        Ok(Call { calls: self.clone(), number, given_up })
    }

    /// The newest request with this id, to be given up; `None` where none is in flight.
    pub(super) fn newest(&self, id: &RawJson) -> Option<ToGiveUp> {
        let table = self.lock();
        let of_that_id = table.in_flight.iter().filter(|call| *call.id == *id.as_str());
        of_that_id.max_by_key(|call| call.number).map(|call| ToGiveUp(Arc::clone(&call.given_up)))
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InFlight {
    /// Whether this request keeps another of this connection from having this id.
    fn keeps(&self, id: &RawJson, connection: u64) -> bool {
        let is_given_up = || self.given_up.is() || self.cancelled.is_cancelled();
        *self.id == *id.as_str() && self.connection == connection && !is_given_up()
    }
}

/// A request in flight.
#[derive(Debug)]
pub(super) struct Call {
    calls: Calls,
    number: u64,
    pub(super) given_up: Arc<GivenUp>,
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut table = self.calls.lock();
        if let Some(place) = table.in_flight.iter().position(|call| call.number == self.number) {
            table.in_flight.swap_remove(place);
        }
    }
}

/// Whether the CLI gave a request up: of a token of cancellation what is needed here, without its locks.
#[derive(Debug, Default)]
pub(super) struct GivenUp {
    is: AtomicBool,
    told: Notify,
}

impl GivenUp {
    pub(super) fn is(&self) -> bool {
        self.is.load(Ordering::Acquire)
    }

    /// Waits until it is.
    pub(super) async fn told(&self) {
        let mut told = pin!(self.told.notified());
        // Registered before asking, so that no notification falls between.
        told.as_mut().enable();
        if !self.is() {
            told.await;
        }
    }
}

/// A request that is given up when this is dropped.
#[derive(Debug)]
pub(super) struct ToGiveUp(Arc<GivenUp>);

impl Drop for ToGiveUp {
    fn drop(&mut self) {
        self.0.is.store(true, Ordering::Release);
        self.0.told.notify_waiters();
    }
}

/// More than any CLI has open at once; a bound all the same.
const MAX_IN_FLIGHT: usize = 1024;
