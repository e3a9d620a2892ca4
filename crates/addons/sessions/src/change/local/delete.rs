//! Deletes a session's files.

use std::{fs, io};

use crate::sessions::{SessionError, SessionFile};

/// Deletes the folder beside the file, then the file; links are deleted, not followed.
///
/// The file is last, so that an interrupted deletion is visible and can be repeated.
pub(super) fn delete(file: &SessionFile) -> Result<(), SessionError> {
    let folder = file.folder();
    gone(fs::remove_dir_all(&folder)).map_err(SessionError::io("deleting", &folder))?;
    gone(fs::remove_file(&file.path)).map_err(SessionError::io("deleting", &file.path))
}

/// Ignores files that do not exist.
fn gone(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}
