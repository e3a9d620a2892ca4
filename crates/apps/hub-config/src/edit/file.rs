//! Replaces a file atomically, unless it has changed since it was read.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use super::error::{EditError, EditRefusal};
use crate::{
    file::LIMIT,
    reading::{Reading, bytes, is_missing},
};

/// The content of a file at one moment. It distinguishes the hub's own changes from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fingerprint {
    /// There was no file.
    #[default]
    Nothing,
    /// It could not be read.
    Unreadable,
    /// The SHA-256 of the content.
    Content([u8; 32]),
}

impl Fingerprint {
    /// Returns the fingerprints of files, read at the same time.
    pub(crate) fn all<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<Self> {
        let readings: Vec<_> = paths.map(|path| Reading::start(path, read)).collect();
        readings.into_iter().map(Self::read).collect()
    }

    fn read(reading: Reading<Option<Vec<u8>>>) -> Self {
        match reading.finish() {
            Ok(None) => Self::Nothing,
            Ok(Some(content)) => Self::Content(Sha256::digest(content).into()),
            Err(_) => Self::Unreadable,
        }
    }
}

/// Changes a file. Creates it and its folders if they do not exist.
///
/// A temporary file with the new text and the old mode replaces the file atomically; the target of a symbolic link is
/// replaced, not the link.
/// If another program changes the file meanwhile, the change is applied to the new content.
/// This blocks.
pub(super) fn change(
    path: &Path,
    change: impl Fn(&str) -> Result<String, EditRefusal>,
) -> Result<(), EditError> {
    // Between programs, the comparison of the content decides; in this process the lock leaves no gap before the
    // rename.
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let refused = |source| EditError::Refused { file: path.to_owned(), source };
    for _ in 0..ATTEMPTS {
        let found = Reading::start(path, |path| {
            let target = follow(path)?;
            read(&target).map(|before| (target, before))
        });
        let (target, before) = found.finish().map_err(failed("reading", path))?;
        let text = str::from_utf8(before.as_deref().unwrap_or_default())
            .map_err(|_| refused(EditRefusal::NotUtf8))?;
        let after = change(text).map_err(refused)?;
        if before.as_deref() == Some(after.as_bytes()) {
            return Ok(());
        }
        // A file over the limit would not be read any more, so no further edit could repair it.
        if after.len() as u64 > LIMIT {
            return Err(refused(EditRefusal::TooLarge { limit: LIMIT }));
        }
        let written = write_beside(&target, after.as_bytes())?;
        let unchanged =
            follow(path).is_ok_and(|now| now == target) && read(&target).is_ok_and(|now| now == before);
        if unchanged && publish(written, &target, before.is_none()).map_err(failed("replacing", &target))? {
            return Ok(());
        }
    }
    Err(EditError::Contended { file: path.to_owned() })
}

/// Returns the content of a file; `None` if it does not exist.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match bytes(path, LIMIT) {
        Ok(content) => content.map(Some).map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the target of a path over symbolic links, even if it does not exist.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&target) else { return Ok(target) };
        target.pop();
        target.push(next);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Writes a temporary file beside the target, with its mode. It is deleted when it is dropped.
fn write_beside(target: &Path, content: &[u8]) -> Result<NamedTempFile, EditError> {
    let permissions = fs::metadata(target).ok().map(|target| target.permissions());
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        let read_only = io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only");
        return Err(failed("replacing", target)(read_only));
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    if permissions.is_none() {
        fs::create_dir_all(folder).map_err(failed("creating the folder of", target))?;
    }
    let mut builder = tempfile::Builder::new();
    let file = builder.prefix(TEMPORARY).suffix(SUFFIX).tempfile_in(folder);
    let mut file = file.map_err(failed("writing beside", target))?;
    let written = file
        .write_all(content)
        .and_then(|()| permissions.map_or(Ok(()), |like| file.as_file().set_permissions(like)))
        .and_then(|()| file.as_file().sync_all());
    written.map_err(failed("writing", target))?;
    Ok(file)
}

/// Renames a temporary file to its target. Returns `false` if the target must be new but exists by now.
fn publish(file: NamedTempFile, target: &Path, is_new: bool) -> io::Result<bool> {
    let published = if is_new { file.persist_noclobber(target) } else { file.persist(target) };
    match published {
        Ok(_) => {}
        Err(error) if is_new && error.error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(error.error),
    }
    if let Some(folder) = target.parent().filter(|_| cfg!(unix)) {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // The file is replaced even if its folder can't be synced.
        _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(true)
}

/// Returns whether a file of this name is a temporary file of an edit.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY) && name.ends_with(SUFFIX)
}

/// Blocks all edits while the guard lives, for tests.
#[doc(hidden)]
pub fn hold() -> std::sync::MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failed(doing: &'static str, file: &Path) -> impl Fn(io::Error) -> EditError {
    let file = file.to_owned();
    move |source| EditError::Io { file: file.clone(), doing, source }
}

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
const TEMPORARY: &str = ".agentwire-";
const SUFFIX: &str = ".tmp";
/// How often an edit is tried while other programs change the file.
const ATTEMPTS: usize = 20;
/// The maximum number of links that are followed, as on Linux.
const MAX_LINKS: usize = 40;

#[cfg(test)]
mod tests;
