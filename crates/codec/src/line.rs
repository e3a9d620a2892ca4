//! A line of the stream.

use std::{fmt, str::Utf8Error};

use bytes::Bytes;

/// A line without its newline, byte for byte as received. Cloning shares the bytes.
///
/// Usually UTF-8, but invalid UTF-8 is preserved.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Line(Bytes);

impl Line {
    /// Creates a line of these bytes, which should not contain a newline.
    pub fn new(bytes: impl Into<Bytes>) -> Self {
        Self(bytes.into())
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the text. Each call validates the bytes.
    ///
    /// # Errors
    ///
    /// If the bytes are not UTF-8.
    pub fn to_str(&self) -> Result<&str, Utf8Error> {
        std::str::from_utf8(&self.0)
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the line has no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether the line has only white space.
    pub fn is_blank(&self) -> bool {
        self.0.iter().all(u8::is_ascii_whitespace)
    }

    /// Converts into the bytes.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// Returns the start of the line as text, at most 200 bytes, for error messages.
    pub fn excerpt(&self) -> String {
        if self.0.len() <= EXCERPT {
            return String::from_utf8_lossy(&self.0).into_owned();
        }
        start(&self.0)
    }
}

/// Returns the start of `bytes` as text, at most 200 bytes, followed by an ellipsis.
pub(crate) fn start(bytes: &[u8]) -> String {
    let mut end = bytes.len().min(EXCERPT);
    // Omit a character that would be split.
    if let Err(error) = std::str::from_utf8(&bytes[..end])
        && error.error_len().is_none()
    {
        end = error.valid_up_to();
    }
    format!("{}…", String::from_utf8_lossy(&bytes[..end]))
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(&self.0), f)
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Self(Bytes::copy_from_slice(text.as_bytes()))
    }
}

/// The length of an excerpt, in bytes: enough to recognize a line, and too short to leak a file into a log.
pub(crate) const EXCERPT: usize = 200;
