//! The limits of the codec.

/// The limits of the codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest line, in bytes, without its newline.
    ///
    /// A longer line is dropped up to its newline and reported as one [`FrameError`](crate::FrameError); reading continues.
    /// The length of a session is not limited.
    pub max_line: usize,
}

impl Limits {
    /// Limits lines to this many bytes.
    pub fn max_line(bytes: usize) -> Self {
        Self { max_line: bytes }
    }
}

/// 64 MiB for a line: the longest line seen from the real CLI has 5.3 MB, and an image in a tool result may be ten times as
/// long.
impl Default for Limits {
    fn default() -> Self {
        Self { max_line: 64 << 20 }
    }
}
