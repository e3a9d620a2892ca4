//! What goes wrong with the CLI's own files.

use std::io;
use std::path::{Path, PathBuf};

use agentwire_protocol::SessionId;

use crate::ChangeError;
use crate::store::is_uuid;

/// The CLI's files did not do what was asked of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A session's id must be a UUID; nothing was looked for.
    #[error("the session id {0:?} is not a UUID")]
    Id(String),
    /// There is no such session, or its file is empty.
    #[error("there is no session {session} in {}", folder.display())]
    NotFound {
        /// Its id.
        session: SessionId,
        /// The folder of the projects that were searched.
        folder: PathBuf,
    },
    /// The change makes no sense; nothing was changed.
    #[error("the session can't be changed like that")]
    Change(#[from] ChangeError),
    /// A file or folder can't be read or written.
    #[error("{doing} {}", path.display())]
    Io {
        /// What was tried, such as `reading`.
        doing: &'static str,
        /// With what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A line is longer than what may be read of one; it was passed over. A higher limit lets it in.
    #[error("a line of more than {limit} bytes at byte {offset} of {}", path.display())]
    LineTooLong {
        /// The file.
        path: PathBuf,
        /// Where in it the line starts, in bytes.
        offset: u64,
        /// The most bytes that a line may have.
        limit: usize,
    },
    /// What was to be written to fails.
    #[error("writing an export")]
    Output(#[source] io::Error),
}

impl SessionError {
    /// What fails with this path, for `map_err`.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }
}

/// Nothing touches a path by an id that is no UUID.
pub(crate) fn check_id(id: &SessionId) -> Result<(), SessionError> {
    if is_uuid(id.as_str()) { Ok(()) } else { Err(SessionError::Id(id.to_string())) }
}
