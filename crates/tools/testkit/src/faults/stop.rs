//! Why the fault CLI stops before its input has ended.

use std::io;

/// Why the fault CLI stops.
#[derive(Debug)]
pub(super) enum Stop {
    /// It exits with this code.
    Exit(u8),
    /// The host is gone, or a file can't be written.
    Io(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
