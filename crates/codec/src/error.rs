//! The errors of the codec.

use agentwire_transport::TransportError;

use crate::FrameKind;

/// An error of a single line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The line is longer than the limit, and was dropped up to its newline.
    #[error(
        "line {line} is longer than the limit of {limit} bytes, and was dropped; it starts with {excerpt:?}"
    )]
    TooLong {
        /// The line's number in the stream, from 1.
        line: u64,
        /// The limit, in bytes.
        limit: usize,
        /// The start of the line, at most 200 bytes.
        excerpt: String,
        /// The kind and id of the line, even if they come after the limit.
        kind: FrameKind,
    },
}

/// An error of writing a value as a line.
#[derive(Debug, thiserror::Error)]
#[error("the value can't be written as JSON")]
#[non_exhaustive]
pub struct EncodeError(#[from] serde_json::Error);

/// An error of reading or writing lines over a transport.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The transport failed.
    #[error("the transport failed")]
    Transport(#[from] TransportError),
    /// The value can't be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}
