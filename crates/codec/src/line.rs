//! A line: what stands between two newlines, byte for byte.

use std::{fmt, str::Utf8Error};

use bytes::Bytes;

/// One line, without its newline, exactly as it came; cloning shares the bytes.
///
/// It is the lossless thing: a typed message is a view of it.
/// Usually UTF-8, but nothing is lost where it is not.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Line(Bytes);

impl Line {
    /// A line with these bytes, which should hold no newline.
    pub fn new(bytes: impl Into<Bytes>) -> Self {
        Self(bytes.into())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text. The check runs at each call.
    ///
    /// # Errors
    ///
    /// When the bytes are not UTF-8.
    pub fn to_str(&self) -> Result<&str, Utf8Error> {
        std::str::from_utf8(&self.0)
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is nothing between the newlines.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is nothing but white space.
    pub fn is_blank(&self) -> bool {
        self.0.iter().all(u8::is_ascii_whitespace)
    }

    /// The bytes, to keep or to send on.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// The start of the line as text, at most 200 bytes of it, for error messages.
    pub fn excerpt(&self) -> String {
        excerpt(&self.0)
    }
}

/// The start of some bytes as text, at most 200 bytes of it.
fn excerpt(bytes: &[u8]) -> String {
    if bytes.len() <= EXCERPT {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    start(bytes)
}

/// The start of something longer than `bytes`, at most 200 bytes of it, with a mark that it goes on.
pub(crate) fn start(bytes: &[u8]) -> String {
    let mut end = bytes.len().min(EXCERPT);
    // A character that the cut goes through is left out.
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

/// How much of a line an error message shows, in bytes: enough to tell what it is, too little to leak a file.
pub(crate) const EXCERPT: usize = 200;
