//! The requests in flight, by their JSON-RPC ids.

use std::{collections::BTreeMap, sync::Arc};

use agentwire_control::Lock;
use agentwire_protocol::RawJson;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The requests in flight at one server.
#[derive(Clone, Debug, Default)]
pub(super) struct InFlightRequests(Arc<Lock<Table>>);

/// Keyed by a number, since the CLI may reuse an id while the handler of the earlier request still cleans up.
#[derive(Debug, Default)]
struct Table {
    rows: BTreeMap<u64, Row>,
    entered: u64,
}

#[derive(Debug)]
struct Row {
    id: Box<str>,
    /// Cancelled by the CLI's `notifications/cancelled`, or by a new connection.
    cancelled: CancellationToken,
    /// Cancelled by the CLI's `control_cancel_request`.
    request_cancelled: CancellationToken,
}

impl InFlightRequests {
    /// Cancels all requests, when a new connection begins: the CLI ignores the answers.
    pub(super) fn cancel(&self) {
        self.0.lock().rows.values().for_each(|row| row.cancelled.cancel());
    }

    /// Registers a request. It is in flight until the return value is dropped. It reserves its id until it is cancelled.
    pub(super) fn enter(
        &self,
        id: &RawJson,
        request_cancelled: &CancellationToken,
    ) -> Result<InFlightRequest, String> {
        let mut table = self.0.lock();
        if table.rows.len() >= MAX_IN_FLIGHT {
            return Err(format!("{MAX_IN_FLIGHT} requests are in flight at this MCP server"));
        }
        if table.rows.values().any(|other| other.reserves(id)) {
            return Err(format!("a request with the JSON-RPC id {id} is in flight already"));
        }
        let number = table.entered;
        table.entered += 1;
        let cancelled = CancellationToken::new();
        let (id, request_cancelled) = (id.as_str().into(), request_cancelled.clone());
        table.rows.insert(number, Row { id, cancelled: cancelled.clone(), request_cancelled });
        Ok(InFlightRequest { all: self.clone(), number, cancelled })
    }

    /// Returns a guard that cancels the newest request with this id, or `None` if no such request is in flight.
    pub(super) fn newest(&self, id: &RawJson) -> Option<DropGuard> {
        let table = self.0.lock();
        let newest = table.rows.values().rfind(|row| *row.id == *id.as_str())?;
        Some(newest.cancelled.clone().drop_guard())
    }
}

impl Row {
    /// Returns whether this request reserves this id.
    fn reserves(&self, id: &RawJson) -> bool {
        let is_cancelled = || self.cancelled.is_cancelled() || self.request_cancelled.is_cancelled();
        *self.id == *id.as_str() && !is_cancelled()
    }
}

/// A request in flight: dropping it removes the request.
#[derive(Debug)]
pub(super) struct InFlightRequest {
    all: InFlightRequests,
    number: u64,
    pub(super) cancelled: CancellationToken,
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        self.all.0.lock().rows.remove(&self.number);
    }
}

/// More requests than any CLI has open at the same time.
const MAX_IN_FLIGHT: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_over_the_limit_is_refused_until_another_ends() {
        let (all, cancelled) = (InFlightRequests::default(), CancellationToken::new());
        let enter = |id: usize| all.enter(&RawJson::parse(id.to_string()).unwrap(), &cancelled);
        let mut entered: Vec<_> = (0..MAX_IN_FLIGHT).map(|id| enter(id).unwrap()).collect();
        assert_eq!(enter(MAX_IN_FLIGHT).unwrap_err(), "1024 requests are in flight at this MCP server");
        drop(entered.pop());
        enter(MAX_IN_FLIGHT).unwrap();
    }
}
