//! The lines of a session's file.

use std::fs;
use std::path::Path;

use crate::RawEntry;
use crate::sessions::SessionError;

/// The entries in a file; a line that is none is left out, such as the last one while it is being written.
///
/// A line that is not UTF-8 is read with U+FFFD in the place of what is not.
pub(crate) fn entries_of(path: &Path) -> Result<Vec<RawEntry>, SessionError> {
    let bytes = fs::read(path).map_err(SessionError::io("reading", path))?;
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    Ok(lines.filter_map(|line| RawEntry::parse(String::from_utf8_lossy(line)).ok()).collect())
}
