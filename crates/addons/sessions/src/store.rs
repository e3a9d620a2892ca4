//! Session stores: the trait and its data types.

mod at_once;
mod error;
mod folder;
mod import;
mod key;
mod memory;
mod sessions;
mod summary;

use std::pin::Pin;

use agentwire_protocol::SessionId;

pub(crate) use at_once::at_once;
pub use error::{KeyError, StoreError};
pub use folder::FolderStore;
pub use import::{ImportError, import_session};
pub use key::SessionKey;
pub use memory::MemoryStore;
pub use sessions::StoreSessions;
pub use summary::{SessionSummary, fold_summary};

use crate::RawEntry;

/// A store for sessions, to which sessions are mirrored and from which they are resumed.
///
/// Only [`append`](Self::append) and [`load`](Self::load) are required.
/// An optional method that returns `None` is not supported by the store, and callers work without it.
/// A store must always return `None` from the same methods.
///
/// The futures run on the caller's runtime. A future that is dropped early may or may not have done its work.
/// The reference SDKs have a corresponding interface (`SessionStore`) with the same semantics.
pub trait SessionStore: Send + Sync {
    /// Appends entries under this key, in order.
    ///
    /// A failed append is retried with the same entries, possibly followed by further ones, so an entry with an id
    /// ([`RawEntry::uuid`]) should not be stored twice; entries without an id are always added.
    /// Consecutive appends keep their order; the entries of each concurrent append stay together.
    /// An empty slice changes nothing, and does not make the key known.
    ///
    /// # Errors
    ///
    /// If some of the entries may not have been stored.
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()>;

    /// Returns all entries under this key, in order, each id once; `None` if the key was never written.
    ///
    /// The entries are the same JSON values as were appended; key order and spacing may differ.
    ///
    /// # Errors
    ///
    /// If the store can't be read.
    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>>;

    /// Lists the sessions of a project, in any order, without sessions that have only subpaths.
    fn list_sessions<'a>(&'a self, _project: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        None
    }

    /// Lists a summary of each session of a project, in any order, which [`fold_summary`] computes from all appends.
    fn list_summaries<'a>(&'a self, _project: &'a str) -> Option<StoreFuture<'a, Vec<SessionSummary>>> {
        None
    }

    /// Deletes the entries under this key; for a session's key without a subpath, also all of its subpaths.
    ///
    /// Deleting an unknown key succeeds.
    fn delete<'a>(&'a self, _key: &'a SessionKey) -> Option<StoreFuture<'a, ()>> {
        None
    }

    /// Lists the subpaths of a session, in any order; the key's own subpath is ignored.
    fn list_subkeys<'a>(&'a self, _key: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        None
    }
}

/// The future that a method of a [`SessionStore`] returns.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A session in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredSession {
    /// The session.
    pub session_id: SessionId,
    /// The time of the last append in milliseconds since the Unix epoch, by the store's clock.
    pub modified_ms: u64,
}

impl StoredSession {
    /// Returns a session with the time of its last append, in milliseconds since the Unix epoch.
    pub fn new(session_id: SessionId, modified_ms: u64) -> Self {
        Self { session_id, modified_ms }
    }
}
