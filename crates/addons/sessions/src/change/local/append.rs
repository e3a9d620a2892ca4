//! Appends a line to a session's file, to which the CLI may write at the same time.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::RawEntry;
use crate::sessions::{SessionError, SessionFile, Sessions};
use crate::stream::append_lines;

/// Appends the entry as one line, with one write.
///
/// The file is never created.
/// If its last line is not terminated, a line break comes first, so that a torn line stays separate.
pub(super) fn append(sessions: &Sessions, file: &SessionFile, entry: &RawEntry) -> Result<(), SessionError> {
    let path = &file.path;
    let (mut open, resolved) = open(&sessions.projects(), path).map_err(SessionError::io("opening", path))?;
    let before = ends_in_a_line(&mut open).map_err(SessionError::io("reading", path))?;
    let text = format!("{}{}\n", if before { "" } else { "\n" }, entry.as_str());
    let length = open.metadata().map_err(SessionError::io("reading", path))?.len();
    let written = append_lines(&mut open, text.as_bytes())
        .inspect_err(|_| remove_incomplete(&mut open, length, text.as_bytes()))
        .and_then(|()| still_at(&open, &resolved));
    written.map_err(SessionError::io("writing", path))
}

/// Removes an incomplete line that a full disk left, if nothing was written after it: the CLI's next line would continue it.
fn remove_incomplete(file: &mut File, length: u64, text: &[u8]) {
    let mut added = Vec::new();
    let read = file
        .seek(SeekFrom::Start(length))
        .and_then(|_| file.take(text.len() as u64 + 1).read_to_end(&mut added));
    if read.is_ok() && !added.is_empty() && text.starts_with(&added) {
        // The error of the write has the cause.
        let _: io::Result<()> = file.set_len(length);
    }
}

/// Opens the file for appending; fails if it was replaced by a link since it was found.
fn open(projects: &Path, path: &Path) -> io::Result<(File, PathBuf)> {
    let (projects, resolved) = (fs::canonicalize(projects)?, fs::canonicalize(path)?);
    if !resolved.starts_with(projects) || !fs::symlink_metadata(&resolved)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it is not in the folder of the projects",
        ));
    }
    let file = File::options().read(true).append(true).open(&resolved)?;
    still_at(&file, &resolved)?;
    Ok((file, resolved))
}

/// Fails if the file was deleted or replaced.
fn still_at(file: &File, path: &Path) -> io::Result<()> {
    if is_at(file, path)? {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::NotFound, "it was replaced meanwhile"))
    }
}

/// Returns whether the path still leads to the open file, and not through a link.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let (open, there) = (file.metadata()?, fs::symlink_metadata(path)?);
    Ok((open.dev(), open.ino()) == (there.dev(), there.ino()))
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> io::Result<bool> {
    Ok(fs::symlink_metadata(path)?.is_file())
}

/// Returns whether the last line is terminated; an empty file is an error, because it is not a session.
fn ends_in_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it is empty"));
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
