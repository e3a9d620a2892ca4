//! A line whose kind is known, found without decoding the line.

mod scanner;

use agentwire_protocol::RequestId;

use crate::Line;
pub(crate) use scanner::KindScanner;

/// A line, and what routing needs to know of it.
///
/// The kind is read on its own, as far as the line goes: it is there even where the line can't be decoded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// The line.
    pub line: Line,
    /// What it is.
    pub kind: FrameKind,
    /// Whether the stream ended before its newline came: where it can't be decoded either, it is the half of a line.
    pub is_truncated: bool,
}

/// What a line is, for routing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameKind {
    /// A `control_request`, with its id where it has one.
    Request(Option<RequestId>),
    /// A `control_response`, with the id of its request where it has one.
    Response(Option<RequestId>),
    /// A `control_cancel_request`, with the id of the request that it takes back.
    Cancel(Option<RequestId>),
    /// A `result`: a turn ends.
    Result,
    /// A `stream_event`: a piece of the model's answer, of which routing needs to know no more.
    StreamEvent,
    /// A `user`: what was said to the model, of which routing needs to know no more.
    User,
    /// Any other object.
    Other,
    /// No JSON object: a stray print.
    NonJson,
}

impl FrameKind {
    /// Finds out what a line is, by its keys in any order, without decoding it; the start of one may suffice.
    pub fn of(line: &[u8]) -> Self {
        let mut scanner = KindScanner::default();
        scanner.feed(line);
        scanner.kind()
    }
}

impl Frame {
    /// Finds out what `line` is, by its keys in any order, without decoding it.
    pub fn new(line: Line) -> Self {
        let kind = FrameKind::of(line.as_bytes());
        Self { line, kind, is_truncated: false }
    }

    /// As [`new`](Self::new), for what came before the stream ended without a newline.
    pub fn truncated(line: Line) -> Self {
        Self { is_truncated: true, ..Self::new(line) }
    }
}
