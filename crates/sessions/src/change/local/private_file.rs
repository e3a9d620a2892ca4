//! Files that nobody else may read, whole or not there.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::change::fresh;
use crate::sessions::SessionError;

/// Makes a file of this name; one that exists is an error.
pub(super) fn create(path: &Path, bytes: &[u8]) -> Result<(), SessionError> {
    let written = Temporary::write(path, bytes)?;
    written.publish(path).map_err(SessionError::io("creating", path))
}

/// Puts a file in the place of what has this name; a link is replaced, not followed.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), SessionError> {
    let mut written = Temporary::write(path, bytes)?;
    fs::rename(&written.path, path).map_err(SessionError::io("writing", path))?;
    written.is_there = false;
    Ok(())
}

/// A file that is written, under a name that nobody looks for; it is deleted when it is dropped.
struct Temporary {
    path: PathBuf,
    is_there: bool,
}

impl Temporary {
    /// Writes it beside the file that it is to become.
    fn write(beside: &Path, bytes: &[u8]) -> Result<Self, SessionError> {
        let path = beside.with_file_name(format!(".{}.tmp", fresh::uuid()));
        let mut file = Self::open(&path).map_err(SessionError::io("creating", &path))?;
        let written = Self { path, is_there: true };
        let done = file.write_all(bytes).and_then(|()| file.sync_all());
        done.map_err(SessionError::io("writing", &written.path))?;
        Ok(written)
    }

    fn open(path: &Path) -> io::Result<File> {
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path)
    }

    /// Gives it its name, if nothing has that.
    fn publish(mut self, path: &Path) -> io::Result<()> {
        match fs::hard_link(&self.path, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Ok(()) => Ok(()),
            // Some file systems know no links. Then a file that appeared in between would be replaced, but the name was
            // made up right before.
            Err(_) if fs::symlink_metadata(path).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => {
                fs::rename(&self.path, path)?;
                self.is_there = false;
                Ok(())
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.is_there {
            // There is nobody to tell that it stays.
            _ = fs::remove_file(&self.path);
        }
    }
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
