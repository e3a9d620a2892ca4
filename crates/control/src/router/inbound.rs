//! Requests of the CLI that are not answered yet.

use std::collections::{HashMap, hash_map::Entry};

use agentwire_protocol::RequestId;

/// The CLI's open requests. An answer or a cancellation closes one.
#[derive(Debug, Default)]
pub(super) struct Inbound {
    /// The weight of each open request, in bytes: its line plus [`REQUEST_OVERHEAD`].
    open: HashMap<RequestId, usize>,
    bytes: usize,
}

impl Inbound {
    /// Opens a request. Returns `false` if one with this id is open already.
    pub(super) fn open(&mut self, id: RequestId, line: usize) -> bool {
        let Entry::Vacant(entry) = self.open.entry(id) else { return false };
        let bytes = line + REQUEST_OVERHEAD;
        self.bytes += bytes;
        entry.insert(bytes);
        true
    }

    pub(super) fn is_open(&self, id: &RequestId) -> bool {
        self.open.contains_key(id)
    }

    /// Closes a request. Returns `false` if none with this id is open.
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
        // Sorted, so that the order does not depend on the hasher.
        ids.sort_unstable();
        ids.into_iter()
    }
}

/// The memory of an open request besides its line, in bytes: map entries, and the task that answers it.
const REQUEST_OVERHEAD: usize = 1024;
