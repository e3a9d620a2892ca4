//! Files that can be read to their end.

use std::{fs, io, path::Path};

/// Checks that the path is a regular file: reading a FIFO, or a link to a device, would never end.
pub(crate) fn regular_file(path: &Path) -> io::Result<&Path> {
    if fs::metadata(path)?.is_file() { Ok(path) } else { Err(io::Error::other("it is not a regular file")) }
}
