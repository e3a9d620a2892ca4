//! Errors of access to the CLI's files.

use std::io;
use std::path::{Path, PathBuf};

use agentwire_protocol::SessionId;

use crate::ChangeError;
use crate::ids::is_uuid;

/// An error of access to the CLI's files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The session id is not a UUID; no file was accessed.
    #[error("the session id {0:?} is not a UUID")]
    Id(String),
    /// The session does not exist, or its file is empty.
    #[error("there is no session {session} in {}", folder.display())]
    NotFound {
        /// The session's id.
        session: SessionId,
        /// The folder of the projects that were searched.
        folder: PathBuf,
    },
    /// The change is invalid; nothing was changed.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// Reading or writing a file or folder failed.
    #[error("{doing} {}", path.display())]
    Io {
        /// The operation, such as `reading`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A line exceeds the limit. A search skips it; an import fails.
    #[error("a line of more than {limit} bytes at byte {offset} of {}", path.display())]
    LineTooLong {
        /// The file.
        path: PathBuf,
        /// The byte offset of the line.
        offset: u64,
        /// The limit in bytes.
        limit: usize,
    },
    /// Writing to the output of an export failed.
    #[error("writing an export")]
    Output(#[source] io::Error),
}

impl SessionError {
    /// Returns a function for `map_err` that adds the operation and the path.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }
}

/// Rejects ids that are not UUIDs, so that an id can't lead to another path.
pub(crate) fn check_id(id: &SessionId) -> Result<(), SessionError> {
    if is_uuid(id.as_str()) { Ok(()) } else { Err(SessionError::Id(id.to_string())) }
}
