//! Files that can be read to their end.

use std::{fs, io, path::Path};

/// Checks that the path is a regular file of at most 64 MiB.
///
/// Reading a FIFO, or a link to a device, would never end; reading a huge file would exhaust the memory.
pub(crate) fn regular_file(path: &Path) -> io::Result<&Path> {
    let file = fs::metadata(path)?;
    if file.len() > MAX_SIZE {
        return Err(io::Error::other("it is longer than 64 MiB"));
    }
    if file.is_file() { Ok(path) } else { Err(io::Error::other("it is not a regular file")) }
}

const MAX_SIZE: u64 = 64 << 20;
