//! Paths inside the store's folder: made with private permissions, and never through a link.

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
    /// A folder that stays the same when the program changes its own.
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root: std::path::absolute(&root).unwrap_or(root) }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of a project.
    pub(super) fn project(&self, project: &str) -> PathBuf {
        self.root.join(names::path(project))
    }

    /// The folder of what lies beneath a session.
    pub(super) fn beneath(&self, key: &SessionKey) -> PathBuf {
        self.project(key.project()).join(names::path(key.session_id().as_str()))
    }

    /// The file of what is kept under a key.
    pub(super) fn file(&self, key: &SessionKey) -> PathBuf {
        let mut path = self.beneath(key);
        for part in key.subpath().into_iter().flat_map(|subpath| subpath.split('/')) {
            path.extend(names::steps(part));
        }
        with_ending(path, ENTRIES)
    }

    /// Opens a file for appending, and makes it and its folders, for the user alone, where they are missing.
    pub(super) fn open_to_append(&self, path: &Path) -> io::Result<File> {
        let mut tries = 0;
        loop {
            let opened = self.make_folders(path.parent().unwrap_or(&self.root)).and_then(|()| {
                self.check(path, FileType::is_file)?;
                private().create(true).append(true).open(path)
            });
            match opened {
                // Somebody deleted the folder in between.
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries < 3 => tries += 1,
                opened => return opened,
            }
        }
    }

    /// Opens a file for reading; `None` where there is none.
    pub(super) fn open(&self, path: &Path) -> io::Result<Option<File>> {
        match self.check(path, FileType::is_file)? {
            true => found(File::open(path)),
            false => Ok(None),
        }
    }

    /// What is in a folder; nothing where there is none.
    pub(super) fn read_dir(&self, path: &Path) -> io::Result<Vec<fs::DirEntry>> {
        match self.check(path, FileType::is_dir)? {
            true => found(fs::read_dir(path))?.into_iter().flatten().collect(),
            false => Ok(Vec::new()),
        }
    }

    /// Whether there is something of this kind at the path, and no link on the way.
    ///
    /// This is no defence against somebody who changes the folder at that moment: that can only be the same user.
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

    /// Brings the folders that lead to a path onto the disk, so that it is found again after a loss of power.
    pub(super) fn sync_folders(&self, path: &Path) -> io::Result<()> {
        if cfg!(unix) {
            for folder in path.ancestors().skip(1) {
                let synced = File::open(folder).and_then(|folder| folder.sync_all());
                // Those above the store's own may not be ours to open, and are there for longer, as a rule.
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

/// The path with this ending; names have no dots of their own.
pub(super) fn with_ending(mut path: PathBuf, ending: &str) -> PathBuf {
    path.as_mut_os_string().push(ending);
    path
}

/// The name of a file of entries, without its ending.
pub(super) fn entries_name(name: &OsStr) -> Option<&str> {
    name.to_str()?.strip_suffix(ENTRIES)
}

/// Nothing, where there is no such file or folder.
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

/// The ending of a file of entries.
pub(super) const ENTRIES: &str = ".jsonl";
