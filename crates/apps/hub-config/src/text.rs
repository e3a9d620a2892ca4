//! Reads small text files that anybody may have put there.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read},
    path::Path,
};

use super::{Position, ProblemKind, bounded::Reading, syntax::Lines};

/// Why a file can't be read, and where in it.
pub(super) type Unread = (ProblemKind, Option<Position>);

/// The text of a file without a byte order mark; `None` where there is no file.
///
/// Only files are opened: opening a pipe would wait for whoever writes to it.
pub(super) fn read(file: &Path, limit: u64) -> Result<Option<String>, Unread> {
    finish(start(file, limit))
}

/// Starts to read a file, as [`read`] does.
pub(super) fn start(file: &Path, limit: u64) -> Reading<Vec<u8>, Fault> {
    Reading::start(file, move |file| bytes(file, limit))
}

/// Waits for the text of a file.
pub(super) fn finish(reading: Reading<Vec<u8>, Fault>) -> Result<Option<String>, Unread> {
    let bytes = match reading.finish() {
        Ok(bytes) => bytes,
        Err(Fault::Kind(kind)) => return Err((kind, None)),
        Err(Fault::Io(error)) if is_absence(&error) => return Ok(None),
        Err(Fault::Io(error)) if error.kind() == ErrorKind::TimedOut => {
            return Err((ProblemKind::Unresponsive, None));
        }
        Err(Fault::Io(error)) => return Err((ProblemKind::Unreadable(error.to_string()), None)),
    };
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).map(<[u8]>::to_vec).unwrap_or(bytes);
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        (ProblemKind::NotUtf8, Some(Lines::new(&text).position(valid)))
    })
}

/// Why there are no bytes.
pub(super) enum Fault {
    Io(io::Error),
    Kind(ProblemKind),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn bytes(file: &Path, limit: u64) -> Result<Vec<u8>, Fault> {
    if !fs::metadata(file)?.is_file() {
        return Err(Fault::Kind(ProblemKind::NotAFile));
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(Fault::Kind(ProblemKind::TooLarge { limit }));
    }
    Ok(bytes)
}

/// No file, or no folder to be in.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
