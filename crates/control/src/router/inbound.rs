//! The CLI's open requests.

use std::collections::{HashMap, hash_map::Entry};

use agentwire_protocol::RequestId;

/// The CLI's open requests: each is closed once, by an answer or by being cancelled.
#[derive(Debug, Default)]
pub(super) struct Inbound {
    /// Each with the bytes that it counts for.
    open: HashMap<RequestId, usize>,
    bytes: usize,
}

impl Inbound {
    /// `false` where a request with this id is open already.
    pub(super) fn open(&mut self, id: RequestId, line: usize) -> bool {
        let Entry::Vacant(place) = self.open.entry(id) else { return false };
        let bytes = line + OVERHEAD;
        self.bytes += bytes;
        place.insert(bytes);
        true
    }

    pub(super) fn is_open(&self, id: &RequestId) -> bool {
        self.open.contains_key(id)
    }

    /// `false` where no such request is open.
    pub(super) fn close(&mut self, id: &RequestId) -> bool {
        let bytes = self.open.remove(id);
        self.bytes -= bytes.unwrap_or_default();
        bytes.is_some()
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = RequestId> + use<> {
        self.bytes = 0;
        let mut ids: Vec<_> = std::mem::take(&mut self.open).into_keys().collect();
        // In an order that is the same whenever the same requests are open.
        ids.sort_unstable();
        ids.into_iter()
    }
}

/// What an open request takes beside its line, in bytes: entries here and there, and the task that answers it.
const OVERHEAD: usize = 1024;
