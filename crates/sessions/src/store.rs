//! Keeping sessions elsewhere than in the CLI's own folder: what a store must do.

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

pub use error::{KeyError, StoreError};
pub use folder::FolderStore;
pub use import::{ImportError, import_session};
pub use key::SessionKey;
pub(crate) use key::is_uuid;
pub use memory::MemoryStore;
pub use sessions::StoreSessions;
pub use summary::{SessionSummary, fold_summary};

use crate::RawEntry;

/// A place where sessions are kept: what a session's mirror writes to, and what a session is resumed from.
///
/// Only [`append`](Self::append) and [`load`](Self::load) are needed.
/// The others are optional: a method that gives `None` says that this store can't do that, and whoever asked does
/// without.
/// It gives the same answer, `None` or not, every time.
///
/// The futures run on whatever runtime the caller has; one that is dropped early may or may not have done its work.
/// The published SDKs have the same trait (`SessionStore`), with the same meanings.
pub trait SessionStore: Send + Sync {
    /// Adds entries at the end of what is kept under this key, in their order.
    ///
    /// It is called again with the same entries where it failed before, so what has an id ([`RawEntry::uuid`]) and is
    /// kept already should not be kept twice; entries without an id are always added.
    /// Appends that follow each other keep their order; of appends that run at once, each stays together.
    /// An empty slice leaves everything as it is, and does not make the key known.
    ///
    /// # Errors
    ///
    /// When the entries may not have been kept, or not all.
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()>;

    /// Everything that is kept under this key, in order, each id once; `None` where nothing ever was.
    ///
    /// The entries are the same JSON values as those that were appended; key order and spacing may differ.
    ///
    /// # Errors
    ///
    /// When the store can't be read.
    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>>;

    /// The sessions of a project, in no order; sessions of which only subpaths are kept are left out.
    fn list_sessions<'a>(&'a self, _project: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        None
    }

    /// A summary of each session of a project, in no order, kept up to date by each append with [`fold_summary`].
    fn list_summaries<'a>(&'a self, _project: &'a str) -> Option<StoreFuture<'a, Vec<SessionSummary>>> {
        None
    }

    /// Forgets what is kept under this key; for the key of a session without a subpath, all its subpaths too.
    ///
    /// What is not kept is forgotten already.
    fn delete<'a>(&'a self, _key: &'a SessionKey) -> Option<StoreFuture<'a, ()>> {
        None
    }

    /// The subpaths that are kept of a session, in no order; the key's own subpath does not count.
    fn list_subkeys<'a>(&'a self, _key: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        None
    }
}

/// What the methods of a [`SessionStore`] give.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A session that a store keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredSession {
    /// The session.
    pub session_id: SessionId,
    /// When it was last written to, in milliseconds since the Unix epoch, by the store's own clock.
    pub modified_ms: u64,
}

impl StoredSession {
    /// A session and when it was last written to, in milliseconds since the Unix epoch.
    pub fn new(session_id: SessionId, modified_ms: u64) -> Self {
        Self { session_id, modified_ms }
    }
}
