//! Atomic writes of files that only the user can read.

use std::io::Write as _;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use crate::sessions::SessionError;

/// Creates a file; it is an error if the path exists.
pub(super) fn create(path: &Path, bytes: &[u8]) -> Result<(), SessionError> {
    match written(path, bytes)?.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(SessionError::io("creating", path)(error.error)),
    }
}

/// Creates or replaces a file; a symbolic link is replaced, not followed.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), SessionError> {
    match written(path, bytes)?.persist(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(SessionError::io("writing", path)(error.error)),
    }
}

/// Writes a temporary file, with mode 0600, into the folder of `path`.
fn written(path: &Path, bytes: &[u8]) -> Result<NamedTempFile, SessionError> {
    let folder = path.parent().unwrap_or(path);
    let file = Builder::new().prefix(".").suffix(".tmp").tempfile_in(folder);
    let mut file = file.map_err(SessionError::io("creating", path))?;
    let done = file.write_all(bytes).and_then(|()| file.as_file().sync_all());
    done.map_err(SessionError::io("writing", path))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{create, replace};

    #[test]
    fn a_file_is_created_once_and_leaves_nothing_else_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        create(&path, b"one").unwrap();
        let error = create(&path, b"two").unwrap_err();
        assert!(error.to_string().starts_with("creating "), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"one");
        replace(&path, b"three").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"three");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert!(create(&folder.path().join("none/file"), b"").is_err());
    }
}
