//! Files that only the CLI may read: settings and MCP servers with secrets, which must not appear on a command line, and
//! the configuration folder of a session from a store.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use crate::{options::PrivateFile, session::user::User};

/// A private directory (0700) of private files (0600), removed with its contents on drop.
///
/// If the CLI runs as another user, the directory belongs to that user only after [`hand_over`](Self::hand_over).
///
/// The errors of its methods contain the path.
///
/// If this program is killed, the directory stays: in `XDG_RUNTIME_DIR`, which is cleared after the user's last logout,
/// or else in the system's directory for temporary files.
#[derive(Debug)]
pub(super) struct PrivateDir {
    path: PathBuf,
    reader: Option<User>,
}

impl PrivateDir {
    pub(super) fn new(within: &Path, reader: Option<User>) -> io::Result<Self> {
        Ok(Self { path: create_dir(within)?, reader })
    }

    /// Writes the files and hands them over.
    pub(super) fn with_files(files: &[PrivateFile], reader: Option<User>) -> io::Result<Self> {
        let dir = Self::new(&place(reader), reader)?;
        for file in files {
            dir.write(Path::new(file.name), [file.contents.as_bytes()])?;
        }
        dir.hand_over()?;
        Ok(dir)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Changes the owner to the user that the CLI runs as, if that is another. Nothing may be written afterwards.
    ///
    /// The folder itself comes last: until then no other user can enter it and place links in our way.
    pub(super) fn hand_over(&self) -> io::Result<()> {
        let own = |reader| own(&self.path, true, reader).map_err(named("handing over", &self.path));
        self.reader.map_or(Ok(()), own)
    }

    /// Creates a file and its parent folders; an existing file is an error.
    pub(super) fn write(
        &self,
        file: &Path,
        lines: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> io::Result<()> {
        self.try_write(file, lines).map_err(named("writing", &self.path.join(file)))
    }

    fn try_write(&self, file: &Path, lines: impl IntoIterator<Item = impl AsRef<[u8]>>) -> io::Result<()> {
        let mut dir = self.path.clone();
        for part in file.parent().into_iter().flatten() {
            dir.push(part);
            match mkdir(&dir) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        let to = File::options().mode(0o600).write(true).create_new(true).open(self.path.join(file))?;
        let mut to = BufWriter::new(to);
        lines.into_iter().try_for_each(|line| to.write_all(line.as_ref()))?;
        to.flush()
    }
}

/// Changes the owner of a folder's contents, then of the folder.
fn own(path: &Path, is_dir: bool, user: User) -> io::Result<()> {
    if is_dir {
        for within in fs::read_dir(path)? {
            let within = within?;
            own(&within.path(), within.file_type()?.is_dir(), user)?;
        }
    }
    user.own(path)
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "a private directory could not be removed");
        }
    }
}

/// Returns the parent directory. Another user can't read our own runtime directory.
fn place(reader: Option<User>) -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    runtime.filter(|dir| reader.is_none() && dir.is_dir()).unwrap_or_else(std::env::temp_dir)
}

/// Creates a new directory; an existing one may belong to another user, so it is never reused.
///
/// An error contains the path.
pub(super) fn create_dir(within: &Path) -> io::Result<PathBuf> {
    let dir = within.join(format!("agentwire-{}", uuid::Uuid::new_v4()));
    mkdir(&dir).map_err(named("creating", &dir))?;
    Ok(dir)
}

/// Adds the action and its path to an error.
fn named(action: &str, path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{action} {}: {error}", path.display()))
}

fn mkdir(dir: &Path) -> io::Result<()> {
    fs::DirBuilder::new().mode(0o700).create(dir)
}

#[cfg(feature = "sessions")]
#[cfg(test)]
mod tests {
    use std::{fs, iter, os::unix::fs::MetadataExt, path::Path};

    use super::{PrivateDir, User, create_dir};

    #[test]
    fn all_of_it_is_ours_until_it_is_handed_over_and_links_are_not_followed() {
        let owner = |path: &Path| fs::symlink_metadata(path).unwrap().uid();
        let outside = tempfile::tempdir().unwrap();
        let ours = owner(outside.path());
        // Only root can change the owner to another user.
        let theirs = if ours == 0 { 4242 } else { ours };
        let group = fs::metadata(outside.path()).unwrap().gid();
        let folder = PrivateDir::new(&std::env::temp_dir(), Some(User { id: theirs, group })).unwrap();
        folder.write(Path::new("a/b/c"), iter::once("c")).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("a/link")).unwrap();
        let all = ["", "a", "a/b", "a/b/c", "a/link"].map(|name| folder.path().join(name));
        assert_eq!(all.each_ref().map(|path| owner(path)), [ours; 5]);
        folder.hand_over().unwrap();
        assert_eq!(all.each_ref().map(|path| owner(path)), [theirs; 5]);
        assert_eq!(owner(outside.path()), ours);
    }

    #[test]
    fn a_failure_names_the_directory() {
        let missing = Path::new("/missing/temporary");
        let error = create_dir(missing).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
        assert!(error.to_string().contains("/missing/temporary/agentwire-"), "{error}");

        let user = User { id: fs::metadata(std::env::temp_dir()).unwrap().uid(), group: 0 };
        let folder = PrivateDir::new(&std::env::temp_dir(), Some(user)).unwrap();
        fs::remove_dir(folder.path()).unwrap();
        let error = folder.hand_over().unwrap_err();
        assert!(error.to_string().contains(folder.path().to_str().unwrap()), "{error}");
    }

    #[test]
    fn a_failed_write_names_the_file() {
        let folder = PrivateDir::new(&std::env::temp_dir(), None).unwrap();
        folder.write(Path::new("a/b"), iter::once("b")).unwrap();
        let error = folder.write(Path::new("a/b"), iter::once("b")).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
        assert!(error.to_string().contains("/a/b: "), "{error}");
    }
}
