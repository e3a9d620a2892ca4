//! The errors of session stores.

use std::{io, time::Duration};

use agentwire_sessions::{SessionKey, StoreError};

/// The failure of a call to a session store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFault {
    /// The store returned an error.
    #[error("the session store failed")]
    Failed(#[source] StoreError),
    /// The store exceeded the time limit. The operation may still complete.
    #[error("the session store took longer than {after:?}")]
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// The store panicked.
    #[error("the session store panicked: {text}")]
    Panicked {
        /// The panic message.
        text: String,
    },
}

/// A session could not be loaded from its store, to resume it or to check the id of a new one. Nothing was started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The store has no such session: it may be in another project (`sessionStoreProject`) or another store.
    #[error("the session store has no session {key}")]
    NotStored {
        /// The key that was loaded.
        key: SessionKey,
    },
    /// The stored session can't be resumed.
    #[error("the stored session {key} can't be resumed: {why}")]
    Unusable {
        /// The key of the stored session.
        key: SessionKey,
        /// The problem with it.
        why: String,
    },
    /// A call to the store failed.
    #[error("{doing}")]
    Store {
        /// The operation.
        doing: String,
        /// The failure.
        #[source]
        source: StoreFault,
    },
    /// The folder for the resumed session could not be created.
    #[error("a folder for the session could not be created")]
    Folder(#[source] io::Error),
}
