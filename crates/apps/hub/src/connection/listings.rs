//! Counters of the times that lists were read again.

use crate::client::Stale;

/// The numbers of the last listings: of all lists together, and of each list.
///
/// A server's desired state counts the requested listings, and its actual state the finished ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Listings {
    all: u64,
    each: [u64; 3],
}

impl Listings {
    /// Requests another listing of a list, or of all lists. Returns its number.
    pub(super) fn request(&mut self, list: Option<Stale>) -> u64 {
        let listing = self.last(list) + 1;
        self.set(list, listing);
        listing
    }

    /// Sets the number of the last listing of a list, or of all lists.
    pub(super) fn set(&mut self, list: Option<Stale>, listing: u64) {
        match list {
            Some(list) => self.each[list as usize] = listing,
            None => self.all = listing,
        }
    }

    /// Returns the number of the last listing of a list, or of all lists.
    pub(super) fn last(&self, list: Option<Stale>) -> u64 {
        list.map_or(self.all, |list| self.each[list as usize])
    }
}
