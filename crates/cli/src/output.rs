//! The standard output, which may be closed by its reader.

use std::io::{self, Write as _};

use serde::Serialize;

use crate::failure::Failure;

/// Writes bytes to the standard output. A closed pipe ends the program quietly, since nobody reads the rest.
///
/// # Errors
///
/// Any other failure to write.
pub fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        done => Ok(done?),
    }
}

/// Writes a line of text.
///
/// # Errors
///
/// As [`write`](fn@write).
pub fn line(text: impl std::fmt::Display) -> Result<(), Failure> {
    write(format!("{text}\n").as_bytes())
}

/// Writes a value as one line of JSON.
///
/// # Errors
///
/// As [`write`](fn@write).
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    line(serde_json::to_string(value)?)
}
