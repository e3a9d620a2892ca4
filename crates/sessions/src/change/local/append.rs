//! Adds a line to a session's file, beside whoever else does.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::RawEntry;
use crate::sessions::{SessionError, SessionFile, Sessions};

/// Adds the entry as a line of its own, with one write.
///
/// The file is never made, and never changed where it was written already.
/// Where its last line is not ended, it is ended first: what was cut off there stays a line by itself.
pub(super) fn append(sessions: &Sessions, file: &SessionFile, entry: &RawEntry) -> Result<(), SessionError> {
    let path = &file.path;
    let (mut open, resolved) = open(&sessions.projects(), path).map_err(SessionError::io("opening", path))?;
    let before = ends_in_a_line(&mut open).map_err(SessionError::io("reading", path))?;
    let text = format!("{}{}\n", if before { "" } else { "\n" }, entry.as_str());
    let written = write(&mut open, text.as_bytes()).and_then(|()| still_at(&open, &resolved));
    written.map_err(SessionError::io("writing", path))
}

/// One write; where the disk takes only a part of it, that is ended, so that the CLI's next line is not glued to it.
fn write(file: &mut impl Write, text: &[u8]) -> io::Result<()> {
    let written = loop {
        match file.write(text) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            written => break written?,
        }
    };
    if written == text.len() {
        return Ok(());
    }
    if written > 0 {
        // It may not fit either, and there is nothing else to do.
        let _ = file.write(b"\n");
    }
    Err(io::Error::new(
        io::ErrorKind::WriteZero,
        format!("only {written} of {} bytes were taken", text.len()),
    ))
}

/// Opens the file at its end, if it is the one that was found: a link may have been put in its place since.
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

/// An error where the file was deleted, or another one was put in its place.
fn still_at(file: &File, path: &Path) -> io::Result<()> {
    if is_at(file, path)? {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::NotFound, "it was replaced meanwhile"))
    }
}

/// Whether the open file is the one at this path, and that is no link.
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

/// Whether the last line is ended. A file in which there is nothing is none.
fn ends_in_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it is empty"));
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
