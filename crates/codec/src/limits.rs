//! How much the codec takes before it refuses.

/// How much the codec takes before it refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest line, in bytes, without its newline.
    ///
    /// A longer one is dropped up to its newline, with one [`FrameError`](crate::FrameError), and reading goes on.
    /// There is no limit on a session as a whole.
    pub max_line: usize,
}

impl Limits {
    /// Lines of at most this many bytes.
    pub fn max_line(bytes: usize) -> Self {
        Self { max_line: bytes }
    }
}

/// 64 MiB a line: the longest seen from the real CLI is 5.3 MB, a picture in a tool result may be 10 times that, and
/// what is longer would be a fault that must not take the host's memory.
impl Default for Limits {
    fn default() -> Self {
        Self { max_line: 64 << 20 }
    }
}
