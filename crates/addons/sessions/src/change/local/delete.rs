//! Deletes a session's files.

use std::{fs, io};

use crate::sessions::{SessionError, SessionFile};

/// Deletes the file, then the folder beside it; links are deleted, not followed.
pub(super) fn delete(file: &SessionFile) -> Result<(), SessionError> {
    gone(fs::remove_file(&file.path)).map_err(SessionError::io("deleting", &file.path))?;
    let folder = file.folder();
    gone(fs::remove_dir_all(&folder)).map_err(SessionError::io("deleting", &folder))
}

/// Ignores files that do not exist.
fn gone(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}
