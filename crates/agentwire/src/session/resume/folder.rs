//! A private configuration folder for the CLI.

use std::{
    fs, io,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use super::super::{
    private_files::{create_dir, create_file, mkdir},
    user::User,
};

/// A private folder (0700) of private files (0600), removed with its contents on drop.
///
/// If the CLI runs as another user, the folder belongs to that user only after [`hand_over`](Self::hand_over).
///
/// If this program is killed, the folder stays in the system's folder for temporary files.
#[derive(Debug)]
pub(in crate::session) struct Folder {
    path: PathBuf,
    reader: Option<User>,
}

impl Folder {
    pub(super) fn new(reader: Option<User>) -> io::Result<Self> {
        // Not `XDG_RUNTIME_DIR`: it lies in memory, and a session may be large.
        let folder = Self { path: create_dir(&std::env::temp_dir())?, reader };
        if folder.path.to_str().is_none() {
            return Err(io::Error::other("the folder for temporary files has a name that is not Unicode"));
        }
        Ok(folder)
    }

    pub(in crate::session) fn path(&self) -> &Path {
        &self.path
    }

    /// Changes the owner to the user that the CLI runs as, if that is another. Nothing may be written afterwards.
    ///
    /// The folder itself comes last: until then no other user can enter it and place links in our way.
    pub(super) fn hand_over(&self) -> io::Result<()> {
        self.reader.map_or(Ok(()), |reader| own(&self.path, true, reader))
    }

    /// Creates a file and its parent folders; an existing file is an error.
    pub(super) fn write(&self, file: &Path, lines: impl Iterator<Item = impl AsRef<[u8]>>) -> io::Result<()> {
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("writing {}: {error}", self.path.join(file).display()))
        };
        self.try_write(file, lines).map_err(named)
    }

    fn try_write(&self, file: &Path, lines: impl Iterator<Item = impl AsRef<[u8]>>) -> io::Result<()> {
        let mut dir = self.path.clone();
        for part in file.parent().into_iter().flatten() {
            dir.push(part);
            match mkdir(&dir) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        let mut to = BufWriter::new(create_file(&self.path.join(file))?);
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

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "a folder with a session could not be removed");
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, iter, os::unix::fs::MetadataExt, path::Path};

    use super::{Folder, User};

    #[test]
    fn all_of_it_is_ours_until_it_is_handed_over_and_links_are_not_followed() {
        let owner = |path: &Path| fs::symlink_metadata(path).unwrap().uid();
        let outside = tempfile::tempdir().unwrap();
        let ours = owner(outside.path());
        // Only root can change the owner to another user.
        let theirs = if ours == 0 { 4242 } else { ours };
        let group = fs::metadata(outside.path()).unwrap().gid();
        let folder = Folder::new(Some(User { id: theirs, group })).unwrap();
        folder.write(Path::new("a/b/c"), iter::once("c")).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("a/link")).unwrap();
        let all = ["", "a", "a/b", "a/b/c", "a/link"].map(|name| folder.path().join(name));
        assert_eq!(all.each_ref().map(|path| owner(path)), [ours; 5]);
        folder.hand_over().unwrap();
        assert_eq!(all.each_ref().map(|path| owner(path)), [theirs; 5]);
        assert_eq!(owner(outside.path()), ours);
    }

    #[test]
    fn a_failed_write_names_the_file() {
        let folder = Folder::new(None).unwrap();
        folder.write(Path::new("a/b"), iter::once("b")).unwrap();
        let error = folder.write(Path::new("a/b"), iter::once("b")).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
        assert!(error.to_string().contains("/a/b: "), "{error}");
    }
}
