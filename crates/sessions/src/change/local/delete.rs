//! Deletes what is kept of a session.

use std::{fs, io};

use crate::sessions::{SessionError, SessionFile};

/// Deletes the file, then the folder beside it; a link is deleted, and not what it leads to.
pub(super) fn delete(file: &SessionFile) -> Result<(), SessionError> {
    gone(fs::remove_file(&file.path)).map_err(SessionError::io("deleting", &file.path))?;
    let folder = file.folder();
    gone(fs::remove_dir_all(&folder)).map_err(SessionError::io("deleting", &folder))
}

/// What is gone already is deleted.
fn gone(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}
