//! The requests in flight, by their JSON-RPC ids.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agentwire_protocol::RawJson;
use tokio_util::sync::CancellationToken;

/// The requests in flight at one server.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls(Arc<Mutex<Table>>);

/// By number, since an id can be used again before all is over that was done under it.
#[derive(Debug, Default)]
struct Table {
    in_flight: HashMap<u64, InFlight>,
    entered: u64,
    connection: u64,
}

#[derive(Debug)]
struct InFlight {
    id: Box<str>,
    connection: u64,
    cancelled: CancellationToken,
    taken_back: CancellationToken,
}

impl Calls {
    /// The CLI connects anew, and counts its ids anew: what is in flight goes on, and keeps none of them.
    pub(super) fn connect(&self) {
        self.lock().connection += 1;
    }

    /// Enters a request; it is in flight until the call is dropped, and keeps its id until it is given up.
    pub(super) fn enter(&self, id: &RawJson, taken_back: &CancellationToken) -> Result<Call, String> {
        let mut table = self.lock();
        if table.in_flight.len() >= MAX_IN_FLIGHT {
            return Err(format!("{MAX_IN_FLIGHT} requests are in flight at this MCP server"));
        }
        if table.in_flight.values().any(|other| other.keeps(id, table.connection)) {
            return Err(format!("a request with the JSON-RPC id {id} is in flight already"));
        }
        let number = table.entered;
        table.entered += 1;
        let cancelled = CancellationToken::new();
        let entry = InFlight {
            id: id.as_str().into(),
            connection: table.connection,
            cancelled: cancelled.clone(),
            taken_back: taken_back.clone(),
        };
        table.in_flight.insert(number, entry);
        Ok(Call { calls: self.clone(), number, cancelled })
    }

    /// What ends the newest request with this id; `None` where none is in flight.
    pub(super) fn token(&self, id: &RawJson) -> Option<CancellationToken> {
        let table = self.lock();
        let of_that_id = table.in_flight.iter().filter(|(_, call)| *call.id == *id.as_str());
        of_that_id.max_by_key(|(number, _)| **number).map(|(_, call)| call.cancelled.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InFlight {
    /// Whether this request keeps another of this connection from having this id.
    fn keeps(&self, id: &RawJson, connection: u64) -> bool {
        let given_up = self.cancelled.is_cancelled() || self.taken_back.is_cancelled();
        *self.id == *id.as_str() && self.connection == connection && !given_up
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
        self.calls.lock().in_flight.remove(&self.number);
    }
}

/// More than any CLI has open at once; a bound all the same.
const MAX_IN_FLIGHT: usize = 1024;
