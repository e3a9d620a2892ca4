//! A private folder that the CLI has for its configuration.

use std::{
    fs, io,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use super::super::{
    private::{create_dir, create_file, mkdir},
    user::User,
};

/// A folder of our own (0700), with files of our own (0600); it is gone with all that is in it when this is dropped.
///
/// Where the CLI runs as another user, it is that user's only after [`hand_over`](Self::hand_over).
///
/// Where this program is killed it stays, in the system's folder for temporary files.
#[derive(Debug)]
pub(in crate::session) struct Folder {
    path: PathBuf,
    reader: Option<User>,
}

impl Folder {
    pub(super) fn new(reader: Option<User>) -> io::Result<Self> {
        // A session may be long, so that it does not go where files lie in memory.
        let folder = Self { path: create_dir(&std::env::temp_dir())?, reader };
        if folder.path.to_str().is_none() {
            return Err(io::Error::other("the folder for temporary files has a name that is not Unicode"));
        }
        Ok(folder)
    }

    pub(in crate::session) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives all of it to the user that the CLI runs as, where that is another: nothing is to be written after that.
    ///
    /// The folder itself comes last: until then nobody else gets into it, and so can't put links in our way.
    pub(super) fn hand_over(&self) -> io::Result<()> {
        self.reader.map_or(Ok(()), |reader| own(&self.path, true, reader))
    }

    /// Makes a file, and the folders that it lies in; one that is there already is an error.
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

/// Gives this user what lies in a folder, and then the folder.
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
        // Who is not root can give things to nobody else.
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
    fn what_can_not_be_written_is_named() {
        let folder = Folder::new(None).unwrap();
        folder.write(Path::new("a/b"), iter::once("b")).unwrap();
        let error = folder.write(Path::new("a/b"), iter::once("b")).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
        assert!(error.to_string().contains("/a/b: "), "{error}");
    }
}
