//! What goes wrong with a session store.

use std::{io, time::Duration};

use agentwire_sessions::{SessionKey, StoreError};

/// A session store did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFault {
    /// It said that it failed.
    #[error("the session store failed")]
    Failed(#[source] StoreError),
    /// It took longer than it may: what was asked for may still be done.
    #[error("the session store took longer than {after:?}")]
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// It panicked.
    #[error("the session store panicked: {text}")]
    Panicked {
        /// What it said.
        text: String,
    },
}

impl StoreFault {
    /// The fault with its causes.
    pub(crate) fn report(&self) -> String {
        super::Report(self).to_string()
    }
}

/// A session could not be taken from its store, to go on with it here. Nothing was started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The store has no such session: look for it under another project (`sessionStoreProject`), or in another store.
    #[error("the session store has no session {key}")]
    NotStored {
        /// Under what it was looked for.
        key: SessionKey,
    },
    /// What the store has of the session can't be gone on with.
    #[error("what the session store has as {key} can't be gone on with: {why}")]
    Unusable {
        /// Under what it is kept.
        key: SessionKey,
        /// What is wrong with it.
        why: String,
    },
    /// The store did not do what it was asked for.
    #[error("{doing}")]
    Store {
        /// What it was asked for.
        doing: String,
        /// Why it did not do it.
        #[source]
        source: StoreFault,
    },
    /// The folder that the CLI was to find the session in could not be made.
    #[error("a folder for the session could not be made")]
    Folder(#[source] io::Error),
}
