//! A file that is replaced as a whole, and only by who has seen what is in it.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::access::resemble;
use super::error::{EditError, Refusal};
use super::leftover;
use crate::{bounded::Reading, file::LIMIT};

/// What a file contained at one moment: by this we know our own changes, at any later time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fingerprint {
    /// Nothing was there.
    #[default]
    Nothing,
    /// It could not be read.
    Unreadable,
    /// The SHA-256 of what was in it.
    Content([u8; 32]),
}

impl Fingerprint {
    /// Those of files as they are now, which are read at the same time.
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

/// Changes a file, and makes it and its folders where they are not there.
///
/// The new text is written beside the file, and takes its place at once, with its mode and owner, or with less access where
/// we may not give it away; of a symbolic link it is the target that is replaced.
/// Where somebody else has changed the file meanwhile, the change is made to what it contains now.
/// This blocks.
pub(super) fn change(path: &Path, change: impl Fn(&str) -> Result<String, Refusal>) -> Result<(), EditError> {
    // Others are told by what the file contains; among ourselves there is not even the moment between that and the renaming.
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let refused = |source| EditError::Refused { file: path.to_owned(), source };
    for _ in 0..ATTEMPTS {
        let found = Reading::start(path, |path| {
            let target = follow(path)?;
            read(&target).map(|before| (target, before))
        });
        let (target, before) = found.finish().map_err(failed("reading", path))?;
        let text =
            str::from_utf8(before.as_deref().unwrap_or_default()).map_err(|_| refused(Refusal::NotUtf8))?;
        let after = change(text).map_err(refused)?;
        if before.as_deref() == Some(after.as_bytes()) {
            return Ok(());
        }
        // What is not read any more could not be put right by another change either.
        if after.len() as u64 > LIMIT {
            return Err(refused(Refusal::TooLarge { limit: LIMIT }));
        }
        let written = Temporary::write(&target, after.as_bytes())?;
        let unchanged =
            follow(path).is_ok_and(|now| now == target) && read(&target).is_ok_and(|now| now == before);
        if unchanged && written.publish(&target, before.is_none()).map_err(failed("replacing", &target))? {
            return Ok(());
        }
    }
    Err(EditError::Contended { file: path.to_owned() })
}

/// What a file contains, `None` where it is not there; only of what is a file, since reading others may never end.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    let content = fs::metadata(path).and_then(|found| match found.is_file() {
        false => refused("it is no file"),
        true if found.len() > LIMIT => refused("it is too large to be a configuration"),
        true => fs::read(path),
    });
    match content {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a path leads to over symbolic links, whether that is there or not.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&target) else { return Ok(target) };
        target.pop();
        target.push(next);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// A file under a name that nobody looks for; it is deleted when it is dropped.
struct Temporary {
    path: PathBuf,
    is_there: bool,
}

impl Temporary {
    /// Writes it beside the file that it is to become, with its mode and owner.
    fn write(target: &Path, content: &[u8]) -> Result<Self, EditError> {
        let like = fs::metadata(target).ok();
        if like.as_ref().is_some_and(|like| like.permissions().readonly()) {
            let read_only = io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only");
            return Err(failed("replacing", target)(read_only));
        }
        if let (None, Some(folder)) = (&like, target.parent()) {
            fs::create_dir_all(folder).map_err(failed("creating the folder of", target))?;
        }
        leftover::sweep(target);
        let (path, mut file) = Self::create(target).map_err(failed("writing beside", target))?;
        let written = Self { path, is_there: true };
        let done = file
            .write_all(content)
            .and_then(|()| like.map_or(Ok(()), |like| resemble(&file, target, &like)))
            .and_then(|()| file.sync_all());
        done.map_err(failed("writing", &written.path))?;
        Ok(written)
    }

    fn create(target: &Path) -> io::Result<(PathBuf, File)> {
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = target.with_file_name(leftover::name(&name, std::process::id(), number));
            let mut options = File::options();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            match options.open(&path) {
                Ok(file) => return Ok((path, file)),
                // Left behind by a process that had our number, and died.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives it its name; a new one, only if nothing has that meanwhile.
    fn publish(mut self, target: &Path, is_new: bool) -> io::Result<bool> {
        // Where there are no links, or no second name, the moment between looking and renaming stays.
        match is_new.then(|| fs::hard_link(&self.path, target)) {
            Some(Ok(())) => {}
            Some(Err(error)) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            _ => {
                fs::rename(&self.path, target)?;
                self.is_there = false;
            }
        }
        if let Some(folder) = target.parent().filter(|_| cfg!(unix)) {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            // The file is changed, whether the folder is on the disk already or not.
            _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(true)
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

/// Keeps all changes from being made, for a test of what happens meanwhile.
#[doc(hidden)]
pub fn hold() -> std::sync::MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failed(doing: &'static str, file: &Path) -> impl Fn(io::Error) -> EditError {
    let file = file.to_owned();
    move |source| EditError::Io { file: file.clone(), doing, source }
}

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
static NUMBER: AtomicU64 = AtomicU64::new(0);
/// How often a change is tried while others change the file too.
const ATTEMPTS: usize = 20;
/// As many as Linux follows.
const MAX_LINKS: usize = 40;

#[cfg(test)]
mod tests;
