//! The CLI's open requests.

use std::collections::BTreeSet;

use agentwire_protocol::RequestId;

/// The CLI's open requests: each is closed once, by an answer or by being taken back.
#[derive(Debug, Default)]
pub(super) struct Inbound(BTreeSet<RequestId>);

impl Inbound {
    /// `false` where a request with this id is open already.
    pub(super) fn open(&mut self, id: RequestId) -> bool {
        self.0.insert(id)
    }

    /// `false` where no such request is open.
    pub(super) fn close(&mut self, id: &RequestId) -> bool {
        self.0.remove(id)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn drain(&mut self) -> BTreeSet<RequestId> {
        std::mem::take(&mut self.0)
    }
}
