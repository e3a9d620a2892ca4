//! Reads the lines of a session's file.

use std::fs;
use std::path::Path;

use crate::RawEntry;
use crate::sessions::SessionError;

/// Returns the entries in a file; invalid lines, such as an incomplete last line, are skipped.
///
/// Invalid UTF-8 is replaced by U+FFFD.
pub(crate) fn entries_of(path: &Path) -> Result<Vec<RawEntry>, SessionError> {
    let bytes = fs::read(path).map_err(SessionError::io("reading", path))?;
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    Ok(lines.filter_map(|line| RawEntry::parse(String::from_utf8_lossy(line)).ok()).collect())
}
