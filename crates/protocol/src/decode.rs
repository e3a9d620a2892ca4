//! Decoding JSON text into a typed value, with errors that say where.

mod locate;
mod surrogate;

use std::{borrow::Cow, error::Error, fmt};

use serde::de::DeserializeOwned;

use crate::json::{self, Fault};
use locate::Place;
pub(crate) use locate::is_tag;

/// Reads one JSON value.
///
/// A lone surrogate escape (`"\ud83d"`) can't be held by a Rust string: where it is the text's only fault, it is read
/// as U+FFFD, on a second try.
/// On that second try every lone surrogate of the text is replaced, also those in parts that are kept as text.
///
/// # Errors
///
/// When the text is no JSON or does not have `T`'s shape.
/// The position points into `text`, wherever the tag of a union stands.
pub fn decode<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    let fault = match json::from_str(text) {
        Ok(value) => return Ok(value),
        Err(fault) => fault,
    };
    let Some(repaired) = surrogate::repair(text) else {
        return Err(DecodeError::new::<T>(text, &fault));
    };
    json::from_str(&repaired).map_err(|fault| DecodeError::new::<T>(&repaired, &fault))
}

/// As [`decode`], from bytes that may not even be UTF-8.
///
/// # Errors
///
/// As [`decode`], and when the bytes are not UTF-8.
pub fn decode_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => decode(text),
        Err(_) => Err(DecodeError::not_utf8(bytes)),
    }
}

/// Why a text could not be decoded, and where.
///
/// It holds no more than an excerpt of the text, and has no source: the parser's own error says the same words, may
/// quote a whole value, and may count its position from an inner one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    path: Box<str>,
    line: usize,
    column: usize,
    offset: usize,
    reason: Box<str>,
}

impl DecodeError {
    fn new<T: DeserializeOwned>(text: &str, fault: &Fault) -> Self {
        Self::at(locate::place::<T>(text, fault), &excerpt(fault.reason(), MAX_REASON))
    }

    fn not_utf8(bytes: &[u8]) -> Self {
        let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        Self::at(Place::of_end(valid), "invalid UTF-8")
    }

    fn at(place: Place, reason: &str) -> Self {
        let Place { path, line, column, offset } = place;
        Self { path: path.into(), line, column, offset, reason: reason.into() }
    }

    /// The path to the faulty value, such as `message.content[2].input`; empty for the whole.
    ///
    /// For a missing field it is the path to the object that lacks it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The line of the fault within the text, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The number of bytes of that line up to the fault and with it, as `serde_json` counts columns.
    pub fn column(&self) -> usize {
        self.column
    }

    /// The number of bytes of the text up to the fault and with it.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// What is wrong, without the position; a long text is cut.
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

impl Error for DecodeError {}

/// The text, or its start and its end where it has more than `limit` bytes.
fn excerpt(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return text.into();
    }
    let mut head = limit / 2;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - limit / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{}…{}", &text[..head], &text[tail..]).into()
}

/// The longest reason, in bytes: room for what was expected, not for what was there.
const MAX_REASON: usize = 240;
