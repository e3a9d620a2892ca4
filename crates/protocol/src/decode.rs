//! Decodes JSON text into typed values, with positions in errors.

mod locate;
mod surrogate;
mod tolerant;

use std::{borrow::Cow, error::Error, fmt};

use serde::de::DeserializeOwned;

pub(crate) use locate::{Step, note_held_fault, note_held_name, note_no_held_fault};
// Public for other crates of the workspace; not part of the API.
#[doc(hidden)]
pub use surrogate::repair as repair_surrogates;
pub(crate) use tolerant::{Name, UNREAD, tolerant};

/// Reads one JSON value.
///
/// A Rust string can't hold a lone surrogate escape (`"\ud83d"`). If such escapes are the only fault of the text, a
/// second attempt reads them as U+FFFD.
/// That attempt replaces every lone surrogate of the text, including those in parts that are kept as text.
///
/// # Errors
///
/// Returns an error if the text is not JSON or does not have the shape of `T`.
/// The position refers to `text`, regardless of where the tag of a union stands.
pub fn decode<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    read(text).map_err(|fault| fault.error)
}

/// Reads one JSON value as [`decode`] does, from bytes that may not be UTF-8.
///
/// # Errors
///
/// As [`decode`], and when the bytes are not UTF-8.
pub fn decode_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    decode(utf8(bytes)?)
}

/// Checks that the bytes are UTF-8.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, DecodeError> {
    std::str::from_utf8(bytes).map_err(|_| {
        let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        DecodeError::at(valid, valid.len(), &locate::path_at(valid, valid.len()), "invalid UTF-8")
    })
}

/// An error with the whole path to its position.
struct Fault {
    path: Vec<Step>,
    error: DecodeError,
}

impl Fault {
    fn new(text: &str, error: &serde_json::Error) -> Self {
        let offset = locate::offset(text, error);
        let path = locate::path_at(text, offset);
        let error = DecodeError::at(text, offset, &path, &reason(error));
        Self { path, error }
    }
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    note_no_held_fault();
    let error = match serde_json::from_str(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let Some(repaired) = surrogate::repair(text) else {
        return Err(Fault::new(text, &error));
    };
    note_no_held_fault();
    serde_json::from_str(&repaired).map_err(|error| Fault::new(&repaired, &error))
}

/// The reason and the position of a decoding failure.
///
/// Contains only an excerpt of the text, and has no source: the parser's own error may quote a whole value, and may
/// count its position from an inner value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    path: Box<str>,
    line: usize,
    column: usize,
    offset: usize,
    reason: Box<str>,
}

impl DecodeError {
    /// Creates an error at `offset`, counted as `serde_json` does: the column is the number of bytes up to and
    /// including it.
    fn at(text: &str, offset: usize, path: &[Step], reason: &str) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        Self {
            path: locate::show(path).into(),
            line: before.iter().filter(|&&byte| byte == b'\n').count() + 1,
            column: before.len() - line_start,
            offset: before.len(),
            reason: excerpt(reason, MAX_REASON).into(),
        }
    }

    /// Returns the path to the faulty value, such as `message.content[2].input`; empty for the whole text.
    ///
    /// For a missing field, this is the path to the object that lacks it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the line of the fault within the text, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the number of bytes of that line up to and including the fault, as `serde_json` counts columns.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Returns the number of bytes of the text up to and including the fault.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the reason without the position; a long text is cut.
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

/// Returns the parser's message without its position.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&position).map(str::to_owned).unwrap_or(text)
}

/// Returns the text, or its start and end if it is longer than `limit` bytes.
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

/// The maximum length of a reason in bytes: enough for the expected type, not for the value found.
const MAX_REASON: usize = 240;
