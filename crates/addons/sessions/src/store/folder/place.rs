//! Paths inside the store's folder, created with private permissions and never through symbolic links.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, FileType, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::names;
use crate::SessionKey;

/// The store's folder.
#[derive(Clone, Debug)]
pub(super) struct Place {
    root: PathBuf,
}

impl Place {
    /// Makes the path absolute, so that a change of the working directory has no effect.
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root: std::path::absolute(&root).unwrap_or(root) }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder of a project.
    pub(super) fn project(&self, project: &str) -> PathBuf {
        self.root.join(names::path(project))
    }

    /// Returns the folder of a session's subpaths.
    pub(super) fn beneath(&self, key: &SessionKey) -> PathBuf {
        self.project(key.project()).join(names::path(key.session_id().as_str()))
    }

    /// Returns the file of a key.
    pub(super) fn file(&self, key: &SessionKey) -> PathBuf {
        let mut path = self.beneath(key);
        for part in key.subpath().into_iter().flat_map(|subpath| subpath.split('/')) {
            path.extend(names::steps(part));
        }
        with_ending(path, ENTRIES)
    }

    /// Opens a file for appending; creates the file and its folders, with private permissions, if missing.
    pub(super) fn open_to_append(&self, path: &Path) -> io::Result<File> {
        let mut tries = 0;
        loop {
            let opened = self.make_folders(path.parent().unwrap_or(&self.root)).and_then(|()| {
                self.check(path, FileType::is_file)?;
                private().create(true).append(true).open(path)
            });
            match opened {
                // Another process deleted the folder meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries < 3 => tries += 1,
                opened => return opened,
            }
        }
    }

    /// Opens a file for reading; returns `None` if it does not exist.
    pub(super) fn open(&self, path: &Path) -> io::Result<Option<File>> {
        match self.check(path, FileType::is_file)? {
            true => found(File::open(path)),
            false => Ok(None),
        }
    }

    /// Returns the entries of a folder; none if it does not exist.
    pub(super) fn read_dir(&self, path: &Path) -> io::Result<Vec<fs::DirEntry>> {
        match self.check(path, FileType::is_dir)? {
            true => found(fs::read_dir(path))?.into_iter().flatten().collect(),
            false => Ok(Vec::new()),
        }
    }

    /// Returns whether the path exists with this file type; fails if there is a link on the way.
    ///
    /// A concurrent change of the folder is not detected: only the same user can make one.
    pub(super) fn check(&self, path: &Path, kind: fn(&FileType) -> bool) -> io::Result<bool> {
        let Ok(inside) = path.strip_prefix(&self.root) else { return Err(refused(path, "is outside")) };
        let mut step = self.root.clone();
        let mut parts = inside.components().peekable();
        while let Some(part) = parts.next() {
            step.push(part);
            let Some(metadata) = found(fs::symlink_metadata(&step))? else { return Ok(false) };
            let kind: fn(&FileType) -> bool = if parts.peek().is_some() { FileType::is_dir } else { kind };
            if !kind(&metadata.file_type()) {
                return Err(refused(&step, "is a link, or neither a file nor a folder of the store"));
            }
        }
        Ok(true)
    }

    /// Syncs the folders on the way to a path, so that the path survives a power failure.
    pub(super) fn sync_folders(&self, path: &Path) -> io::Result<()> {
        if cfg!(unix) {
            for folder in path.ancestors().skip(1) {
                let synced = File::open(folder).and_then(|folder| folder.sync_all());
                // Folders above the store's may be unreadable, and have usually existed for a long time.
                synced.or_else(|error| if folder.starts_with(&self.root) { Err(error) } else { Ok(()) })?;
            }
        }
        Ok(())
    }

    fn make_folders(&self, path: &Path) -> io::Result<()> {
        if !self.check(path, FileType::is_dir)? {
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.recursive(true).create(path)?;
        }
        Ok(())
    }
}

/// Appends a suffix to a path; encoded names contain no dots.
pub(super) fn with_ending(mut path: PathBuf, ending: &str) -> PathBuf {
    path.as_mut_os_string().push(ending);
    path
}

/// Removes the suffix from the name of a file of entries.
pub(super) fn entries_name(name: &OsStr) -> Option<&str> {
    name.to_str()?.strip_suffix(ENTRIES)
}

/// Returns `None` if the file or folder does not exist.
pub(super) fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn private() -> OpenOptions {
    let mut options = File::options();
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(not(unix))]
fn private() -> OpenOptions {
    File::options()
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{} {why}", path.display()))
}

/// The suffix of files of entries.
pub(super) const ENTRIES: &str = ".jsonl";
