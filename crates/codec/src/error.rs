//! What can go wrong between bytes and messages.

use agentwire_transport::TransportError;

use crate::FrameKind;

/// A line that could not be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The line is longer than the limit; it was dropped up to its newline.
    #[error(
        "line {line} is longer than the limit of {limit} bytes, and was dropped; it starts with {excerpt:?}"
    )]
    TooLong {
        /// The line's number in the stream, from 1.
        line: u64,
        /// The limit, in bytes.
        limit: usize,
        /// Its start, at most 200 bytes.
        excerpt: String,
        /// The kind of the dropped line: its kind and ids, wherever they stood in it.
        kind: FrameKind,
    },
}

/// A value that could not be written as one line.
#[derive(Debug, thiserror::Error)]
#[error("the value can't be written as JSON")]
#[non_exhaustive]
pub struct EncodeError(#[from] serde_json::Error);

/// Why no further line can be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The transport failed.
    #[error("the transport failed")]
    Transport(#[from] TransportError),
    /// The value can't be written.
    #[error("the message could not be encoded")]
    Encode(#[from] EncodeError),
}
