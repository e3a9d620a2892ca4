//! Frames: lines with their kind, found without decoding.

mod scanner;

use agentwire_protocol::RequestId;

use crate::Line;
pub(crate) use scanner::KindScanner;

/// A line and its kind, for routing.
///
/// The kind is found without decoding the line, so it is known even if the line can't be decoded.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// The line.
    pub line: Line,
    /// The kind of the line.
    pub kind: FrameKind,
    /// Whether the stream ended without a newline after this line, so that its end may be missing.
    pub is_truncated: bool,
}

/// The kind of a line, for routing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameKind {
    /// A `control_request`, with its id if it has one.
    Request(Option<RequestId>),
    /// A `control_response`, with the id of its request if it has one.
    Response(Option<RequestId>),
    /// A `control_cancel_request`, with the id of the request to cancel.
    Cancel(Option<RequestId>),
    /// A `result`, which ends a turn.
    Result,
    /// A `stream_event`: a piece of the model's answer. Routing needs none of its fields.
    StreamEvent,
    /// A `user` message: input of the model. Routing needs none of its fields.
    User,
    /// A `transcript_mirror`: entries of the transcript, for a host that stores them.
    TranscriptMirror,
    /// Any other JSON object.
    Other,
    /// A line that is not a JSON object.
    NonJson,
}

impl FrameKind {
    /// Finds the kind of a line. Keys may be in any order. The start of the line is enough if it contains the deciding
    /// keys.
    pub fn of(line: &[u8]) -> Self {
        // Most lines start with their type. Scanning these lines too would take about 5 % of the time for a stream.
        let text = line.strip_prefix(br#"{"type":""#).unwrap_or_default();
        match memchr::memchr(b'"', text).map(|end| &text[..end]) {
            Some(b"stream_event") => return Self::StreamEvent,
            Some(b"user") => return Self::User,
            Some(b"assistant" | b"system") => return Self::Other,
            _ => {}
        }
        let mut scanner = KindScanner::default();
        scanner.feed(line);
        scanner.kind()
    }
}

impl Frame {
    /// Creates a frame, and finds the kind of its line.
    pub fn new(line: Line) -> Self {
        let kind = FrameKind::of(line.as_bytes());
        Self { line, kind, is_truncated: false }
    }

    /// Creates a frame of the last line of a stream that ended without a newline.
    pub fn truncated(line: Line) -> Self {
        Self { is_truncated: true, ..Self::new(line) }
    }
}

// The line contains secrets that `Debug` of its message hides.
agentwire_transport::debug_by_name!(Frame { kind, is_truncated });
