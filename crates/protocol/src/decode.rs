//! Decoding JSON text into a typed value, with errors that say where.

mod locate;
mod surrogate;

use std::{error::Error, fmt};

use serde::de::DeserializeOwned;

pub(crate) use locate::Place;

/// Reads one JSON value.
///
/// A lone surrogate escape (`"\ud83d"`) can't be held by a Rust string: where it is the text's only fault, it is read
/// as U+FFFD, on a second try.
///
/// # Errors
///
/// When the text is no JSON or does not have `T`'s shape.
/// The position points into `text`, wherever the tag of a union stands.
pub fn decode<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    let error = match serde_json::from_str(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let Some(repaired) = surrogate::repair(text) else {
        return Err(DecodeError::new::<T>(text, error));
    };
    serde_json::from_str(&repaired).map_err(|error| DecodeError::new::<T>(&repaired, error))
}

/// As [`decode`], from bytes that may not even be UTF-8.
///
/// # Errors
///
/// As [`decode`], and when the bytes are not UTF-8.
pub fn decode_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => decode(text),
        Err(error) => Err(DecodeError::not_utf8(bytes, error)),
    }
}

/// Why a text could not be decoded, and where.
#[derive(Debug)]
pub struct DecodeError {
    path: Box<str>,
    line: usize,
    column: usize,
    offset: usize,
    reason: Box<str>,
    source: Box<dyn Error + Send + Sync>,
}

impl DecodeError {
    fn new<T: DeserializeOwned>(text: &str, error: serde_json::Error) -> Self {
        let place = locate::place::<T>(text, &error);
        Self::at(place, reason(&error), Box::new(error))
    }

    fn not_utf8(bytes: &[u8], error: std::str::Utf8Error) -> Self {
        let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        Self::at(Place::of_end(valid), "invalid UTF-8".to_owned(), Box::new(error))
    }

    fn at(place: Place, reason: String, source: Box<dyn Error + Send + Sync>) -> Self {
        let Place { path, line, column, offset } = place;
        Self { path: path.into(), line, column, offset, reason: reason.into(), source }
    }

    /// The path to the faulty value, such as `message.content[2].input`; empty for the whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The line of the fault, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column of the fault, in bytes from 1, as `serde_json` counts.
    pub fn column(&self) -> usize {
        self.column
    }

    /// The byte offset of the fault, from 0.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// What is wrong, without the position.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.reason, self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, " (in {})", self.path)?;
        }
        Ok(())
    }
}

/// The source is the JSON parser's or the UTF-8 check's own error; its position may count from an inner value.
impl Error for DecodeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}

/// The parser's text without its position, which [`DecodeError`] carries corrected.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&position).unwrap_or(&text).to_owned()
}
