//! The requests in flight, by their JSON-RPC ids.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agentwire_control::CancellationToken;
use agentwire_protocol::RawJson;

/// The requests in flight at one server.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls(Arc<Mutex<Table>>);

/// Keyed by a number, since the CLI may reuse an id while the handler of the earlier request still cleans up.
///
/// A list is enough: usually one request is in flight, and never more than [`MAX_IN_FLIGHT`].
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
    /// Fires at the CLI's `notifications/cancelled`.
    cancelled: CancellationToken,
    /// Fires at the CLI's `control_cancel_request`.
    request_cancelled: CancellationToken,
}

impl Calls {
    /// Starts a new connection: requests of the earlier one stay in flight, but no longer reserve their ids.
    pub(super) fn connect(&self) {
        self.lock().connection += 1;
    }

    /// Registers a request. It is in flight until the call is dropped, and reserves its id until it is cancelled.
    pub(super) fn enter(&self, id: &RawJson, request_cancelled: &CancellationToken) -> Result<Call, String> {
        let mut table = self.lock();
        if table.in_flight.len() >= MAX_IN_FLIGHT {
            return Err(format!("{MAX_IN_FLIGHT} requests are in flight at this MCP server"));
        }
        if table.in_flight.iter().any(|other| other.reserves(id, table.connection)) {
            return Err(format!("a request with the JSON-RPC id {id} is in flight already"));
        }
        let (number, connection) = (table.entered, table.connection);
        table.entered += 1;
        let cancelled = CancellationToken::new();
        table.in_flight.push(InFlight {
            number,
            id: id.as_str().into(),
            connection,
            cancelled: cancelled.clone(),
            request_cancelled: request_cancelled.clone(),
        });
        Ok(Call { calls: self.clone(), number, cancelled })
    }

    /// Returns a guard that cancels the newest request with this id, or `None` if no such request is in flight.
    pub(super) fn newest(&self, id: &RawJson) -> Option<CancelOnDrop> {
        let table = self.lock();
        let of_that_id = table.in_flight.iter().filter(|call| *call.id == *id.as_str());
        of_that_id.max_by_key(|call| call.number).map(|call| CancelOnDrop(call.cancelled.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InFlight {
    /// Returns whether this request reserves this id in this connection.
    fn reserves(&self, id: &RawJson, connection: u64) -> bool {
        let is_cancelled = || self.cancelled.is_cancelled() || self.request_cancelled.is_cancelled();
        *self.id == *id.as_str() && self.connection == connection && !is_cancelled()
    }
}

/// A request in flight.
#[derive(Debug)]
pub(super) struct Call {
    calls: Calls,
    number: u64,
    pub(super) cancelled: CancellationToken,
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut table = self.calls.lock();
        if let Some(place) = table.in_flight.iter().position(|call| call.number == self.number) {
            table.in_flight.swap_remove(place);
        }
    }
}

/// Cancels a request when it is dropped.
#[derive(Debug)]
pub(super) struct CancelOnDrop(CancellationToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// More requests than any CLI has open at the same time.
const MAX_IN_FLIGHT: usize = 1024;
