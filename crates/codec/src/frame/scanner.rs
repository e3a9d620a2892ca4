//! Finds the kind of a line from a stream of its bytes.

use std::borrow::Cow;

use agentwire_protocol::{Message, RequestId, tagged::Tagged};

use super::FrameKind;

/// A state machine that finds the kind of a line without buffering the line.
///
/// It reads the keys of the outermost object and of its `response`, in any order.
/// The line may arrive in pieces of any length.
/// If `type` is repeated, the first known kind is used, as in decoding the message; if an id is repeated, the first id.
#[derive(Debug, Default)]
pub(crate) struct KindScanner {
    state: State,
    /// The number of open objects and arrays. The outermost object stays open when it ends.
    depth: usize,
    /// Whether the object at depth 2 is the value of `response`.
    in_response: bool,
    /// Whether the open or next string is a key at a depth that matters.
    is_key: bool,
    /// The key of the open or next value.
    key: Key,
    /// The open string so far, without quotes.
    text: Vec<u8>,
    /// Whether `text` is the whole string so far: the string matters and is not too long.
    keeps_text: bool,
    /// The kind, if known.
    kind: Option<&'static str>,
    /// The ids. `Some(None)` if an id is not a string.
    id: Option<Option<RequestId>>,
    response_id: Option<Option<RequestId>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    /// Before the outermost object.
    #[default]
    Start,
    OutsideString,
    InsideString,
    /// After a backslash in a string.
    Escape,
    /// No further byte can change the kind.
    Decided,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Key {
    Kind,
    Id,
    Response,
    ResponseId,
    #[default]
    Other,
}

impl KindScanner {
    /// Reads the next bytes of the line.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((&byte, rest)) = bytes.split_first() {
            match self.state {
                State::Start => self.start(byte),
                State::OutsideString => self.outside_string(byte),
                State::InsideString => {
                    bytes = self.inside_string(bytes);
                    continue;
                }
                State::Escape => {
                    self.keep(&[byte]);
                    self.state = State::InsideString;
                }
                State::Decided => return,
            }
            bytes = rest;
        }
    }

    /// Returns whether no further byte can change the kind.
    pub(crate) fn is_decided(&self) -> bool {
        self.state == State::Decided
    }

    /// Returns the kind, as far as the bytes so far determine it.
    pub(crate) fn kind(&self) -> FrameKind {
        if self.depth == 0 {
            return FrameKind::NonJson;
        }
        let id = || self.id.clone().flatten();
        match self.kind {
            Some("control_request") => FrameKind::Request(id()),
            Some("control_cancel_request") => FrameKind::Cancel(id()),
            // The id is a field of `response`. If there is none, use the one beside `response`.
            Some("control_response") => FrameKind::Response(self.response_id.clone().flatten().or_else(id)),
            Some("result") => FrameKind::Result,
            Some("stream_event") => FrameKind::StreamEvent,
            Some("user") => FrameKind::User,
            Some("transcript_mirror") => FrameKind::TranscriptMirror,
            _ => FrameKind::Other,
        }
    }

    fn start(&mut self, byte: u8) {
        match byte {
            b'{' => (self.state, self.depth, self.is_key) = (State::OutsideString, 1, true),
            _ if byte.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(&byte) => {}
            _ => self.state = State::Decided,
        }
    }

    fn outside_string(&mut self, byte: u8) {
        match byte {
            b'"' => {
                self.state = State::InsideString;
                self.text.clear();
                self.keeps_text = self.is_key || !matches!(self.key, Key::Other | Key::Response);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.in_response |= self.depth == 2 && byte == b'{' && self.key == Key::Response;
                self.end_value(None);
                self.is_key = byte == b'{' && self.is_watched();
            }
            b'}' | b']' if self.depth == 1 => self.state = State::Decided,
            b'}' | b']' => {
                self.depth -= 1;
                self.in_response &= self.depth > 1;
                self.is_key = false;
            }
            b',' => self.is_key = self.is_watched(),
            b':' => self.is_key = false,
            _ if byte.is_ascii_whitespace() => {}
            _ => self.end_value(None),
        }
    }

    /// Reads up to the end of the string or an escape. Returns the bytes after that.
    fn inside_string<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let end = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
        self.keep(&bytes[..end]);
        match bytes[end..].split_first() {
            Some((b'\\', rest)) => {
                self.keep(b"\\");
                self.state = State::Escape;
                rest
            }
            Some((_, rest)) => {
                self.state = State::OutsideString;
                self.end_string();
                rest
            }
            None => &[],
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.keeps_text &= self.text.len() + bytes.len() <= MAX_TEXT;
        if self.keeps_text {
            self.text.extend_from_slice(bytes);
        }
    }

    fn end_string(&mut self) {
        if !std::mem::take(&mut self.is_key) {
            if !self.keeps_text {
                return self.end_value(None);
            }
            let bytes = std::mem::take(&mut self.text);
            return self.end_value(unescaped(&bytes).as_deref());
        }
        let text = if self.keeps_text { unescaped(&self.text) } else { None };
        self.key = match (self.depth, text.as_deref()) {
            (1, Some("type")) => Key::Kind,
            (1, Some("request_id")) => Key::Id,
            (1, Some("response")) => Key::Response,
            (2, Some("request_id")) => Key::ResponseId,
            _ => Key::Other,
        };
    }

    /// Records the value of the current key. `None` is a value that is not a string.
    fn end_value(&mut self, text: Option<&str>) {
        let id = |text: Option<&str>| text.map(RequestId::from);
        match std::mem::take(&mut self.key) {
            Key::Kind => {
                let known = || Message::KINDS.iter().copied().find(|kind| Some(*kind) == text);
                self.kind = self.kind.or_else(known);
            }
            Key::Id => _ = self.id.get_or_insert_with(|| id(text)),
            Key::ResponseId => _ = self.response_id.get_or_insert_with(|| id(text)),
            Key::Response | Key::Other => return,
        }
        let needs_more = match self.kind {
            Some("control_request" | "control_cancel_request") => self.id.is_none(),
            Some("control_response") => !matches!(self.response_id, Some(Some(_))),
            kind => kind.is_none(),
        };
        if !needs_more {
            self.state = State::Decided;
        }
    }

    /// Returns whether keys at this depth matter.
    fn is_watched(&self) -> bool {
        self.depth == 1 || self.depth == 2 && self.in_response
    }
}

/// Returns the text of a JSON string that is given without quotes.
fn unescaped(text: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(text).ok()?;
    if text.contains('\\') { serde_json::from_str(&format!("\"{text}\"")).ok() } else { Some(text.into()) }
}

/// Some programs write this before their first line.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
/// The CLI writes no key or id that is nearly as long, in bytes.
const MAX_TEXT: usize = 8 << 20;
