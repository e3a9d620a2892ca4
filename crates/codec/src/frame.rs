//! A line whose kind is known, found without decoding the line.

mod scan;

use agentwire_protocol::RequestId;

use crate::{Line, decoder::Cut};
use scan::{Fields, text};

/// A line, and what routing needs to know of it.
///
/// The head is read on its own, as far as the line goes: it is there even where the line can't be decoded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// The line.
    pub line: Line,
    /// What it is.
    pub head: Head,
    /// Whether the stream ended before its newline came: where it can't be decoded either, it is the half of a line.
    pub is_unfinished: bool,
    /// Whether the line is a small part of a block of many.
    pub(crate) is_shared: bool,
}

/// What a line is, for routing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Head {
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
    Noise,
}

impl Head {
    /// Finds out what a line is, by its keys in any order, without decoding it; the start of one may suffice.
    pub fn of(line: &[u8]) -> Self {
        head(line)
    }
}

impl Frame {
    /// Finds out what `line` is, by its keys in any order, without decoding it.
    pub fn new(line: Line) -> Self {
        let head = head(line.as_bytes());
        Self { line, head, is_unfinished: false, is_shared: false }
    }

    /// As [`new`](Self::new), with a line where it lies.
    pub(crate) fn cut(cut: Cut) -> Self {
        Self { is_shared: cut.is_shared, ..Self::new(cut.line) }
    }

    /// Gives the line memory of its own where it lies in a block together with others, which it keeps alive as long.
    ///
    /// A [`WireReader`](crate::WireReader) gives such frames; [`Incoming::decode`](crate::Incoming::decode) does this by
    /// itself.
    pub fn detach(&mut self) {
        if std::mem::take(&mut self.is_shared) {
            self.line = self.line.copied();
        }
    }

    /// As [`new`](Self::new), for what came before the stream ended without a newline.
    pub fn unfinished(line: Line) -> Self {
        Self { is_unfinished: true, ..Self::new(line) }
    }
}

fn head(line: &[u8]) -> Head {
    if let Some((kind, rest)) = leading_kind(line) {
        match kind {
            b"control_request" | b"control_cancel_request" => {
                if let Some(id) = following_id(rest) {
                    let head = if kind == b"control_request" { Head::Request } else { Head::Cancel };
                    return head(Some(id));
                }
            }
            b"control_response" | b"result" => {}
            kind => return unnamed(kind),
        }
    }
    let Some(fields) = Fields::of(line) else { return Head::Noise };
    let kind = fields.clone().find(|(key, _)| &**key == b"type").and_then(|(_, value)| text(value));
    let Some(kind) = kind else { return Head::Other };
    match &*kind {
        "control_request" => Head::Request(id(fields)),
        "control_response" => Head::Response(response_id(fields)),
        "control_cancel_request" => Head::Cancel(id(fields)),
        "result" => Head::Result,
        kind => unnamed(kind.as_bytes()),
    }
}

/// What a line is whose head is told by its kind alone.
fn unnamed(kind: &[u8]) -> Head {
    match kind {
        b"stream_event" => Head::StreamEvent,
        b"user" => Head::User,
        _ => Head::Other,
    }
}

/// The kind of a line that starts with it and writes it without escapes, as most do, and what stands behind it: no field
/// has to be walked.
fn leading_kind(line: &[u8]) -> Option<(&[u8], &[u8])> {
    plain_text(line.strip_prefix(b"{\"type\":\"")?)
}

/// The id that comes next, as the CLI writes its requests.
fn following_id(rest: &[u8]) -> Option<RequestId> {
    let (id, _) = plain_text(rest.strip_prefix(b",\"request_id\":\"")?)?;
    std::str::from_utf8(id).ok().map(RequestId::from)
}

/// A string without escapes, from behind its first quote, and what stands behind its last.
fn plain_text(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr2(b'"', b'\\', text)?;
    (text[end] == b'"').then(|| (&text[..end], &text[end + 1..]))
}

fn id(mut fields: Fields<'_>) -> Option<RequestId> {
    let (_, value) = fields.find(|(key, _)| &**key == b"request_id")?;
    text(value).map(|id| RequestId::from(&*id))
}

/// The id lies inside `response`; one beside it is taken where there is none inside, or nothing to look inside of.
fn response_id(fields: Fields<'_>) -> Option<RequestId> {
    let response = fields.clone().find(|(key, _)| &**key == b"response");
    response.and_then(|(_, response)| Fields::of(response).and_then(id)).or_else(|| id(fields))
}
