//! The requests in flight, by their JSON-RPC ids.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agentwire_protocol::RawJson;
use tokio_util::sync::CancellationToken;

/// The requests in flight at one server.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls(Arc<Mutex<HashMap<Box<str>, CancellationToken>>>);

impl Calls {
    /// Enters a request; it is in flight until the call is dropped.
    pub(super) fn enter(&self, id: &RawJson) -> Result<Call, String> {
        let mut calls = self.lock();
        if calls.len() >= MAX_IN_FLIGHT {
            return Err(format!("{MAX_IN_FLIGHT} requests are in flight at this MCP server"));
        }
        match calls.entry(id.as_str().into()) {
            Entry::Occupied(_) => Err(format!("a request with the JSON-RPC id {id} is in flight already")),
            Entry::Vacant(entry) => {
                let cancelled = entry.insert(CancellationToken::new()).clone();
                Ok(Call { calls: self.clone(), id: id.as_str().into(), cancelled })
            }
        }
    }

    /// The CLI gives this request up.
    pub(super) fn cancel(&self, id: &RawJson) {
        if let Some(call) = self.lock().get(id.as_str()) {
            call.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in flight.
#[derive(Debug)]
pub(super) struct Call {
    calls: Calls,
    id: Box<str>,
    pub(super) cancelled: CancellationToken,
}

impl Drop for Call {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.id);
    }
}

/// More than any CLI has open at once; a bound all the same.
const MAX_IN_FLIGHT: usize = 1024;
