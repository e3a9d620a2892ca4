//! Files that only the CLI may read: settings and MCP servers with secrets, which must not appear on a command line.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{options::PrivateFile, session::user::User};

/// A directory of private files, removed on drop.
///
/// If this program is killed, the directory stays: in `XDG_RUNTIME_DIR`, which is cleared after the user's last logout,
/// or else in the system's directory for temporary files.
#[derive(Debug)]
pub(super) struct PrivateDir(PathBuf);

impl PrivateDir {
    /// Writes the files.
    ///
    /// # Errors
    ///
    /// The system's error, with the path of the parent directory.
    pub(super) fn write(files: &[PrivateFile], reader: Option<&User>) -> io::Result<Self> {
        let place = place(reader);
        Self::write_in(&place, files, reader)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", place.display())))
    }

    fn write_in(place: &Path, files: &[PrivateFile], reader: Option<&User>) -> io::Result<Self> {
        let dir = Self(create_dir(place)?);
        for file in files {
            let path = dir.0.join(file.name);
            create_file(&path)?.write_all(file.contents.as_bytes())?;
            reader.map_or(Ok(()), |reader| reader.own(&path))?;
        }
        reader.map_or(Ok(()), |reader| reader.own(&dir.0))?;
        Ok(dir)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        // Nothing can be reported here; the system's cleanup of temporary files removes the rest.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the parent directory. Another user can't read our own runtime directory.
fn place(reader: Option<&User>) -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    match runtime {
        Some(dir) if reader.is_none() && dir.is_dir() => dir,
        _ => std::env::temp_dir(),
    }
}

/// Creates a new directory; an existing one may belong to another user, so it is never reused.
pub(super) fn create_dir(within: &Path) -> io::Result<PathBuf> {
    let dir = within.join(format!("agentwire-{}", uuid::Uuid::new_v4()));
    mkdir(&dir)?;
    Ok(dir)
}

pub(super) fn mkdir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

pub(super) fn create_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(path)
}
