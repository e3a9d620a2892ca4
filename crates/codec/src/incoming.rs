//! Decoded lines of the CLI.

use std::fmt;

use agentwire_protocol::{
    Message,
    decode::{DecodeError, decode_bytes},
};

use crate::{Frame, FrameError, FrameKind, Line};

/// A line of the CLI, decoded as far as possible.
///
/// No variant ends the session: a line that can't be decoded is one of the variants, and reading continues.
/// `Debug` omits the line of a decoded message, because the line contains the secrets that the message hides. It shows
/// lines that were not decoded.
#[derive(Clone)]
#[non_exhaustive]
pub enum Incoming {
    /// A message and its line.
    ///
    /// Fields of the wrong type are missing in the message: see [`set_aside`](Self::set_aside).
    Message(Message, Line),
    /// A line of a known kind that lacks an essential field, or a malformed object.
    Undecodable(DecodeError, Line),
    /// A line that is not a JSON object, such as output of a program that the CLI runs.
    NonJson(Line),
    /// A line that was dropped because it was too long.
    TooLong(FrameError),
    /// A request of the CLI that has no handler. If it has an id, it was answered with a refusal or an error.
    Unhandled(Message, Line),
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(message, _) => f.debug_tuple("Message").field(message).finish_non_exhaustive(),
            Self::Unhandled(message, _) => f.debug_tuple("Unhandled").field(message).finish_non_exhaustive(),
            Self::Undecodable(error, line) => f.debug_tuple("Undecodable").field(error).field(line).finish(),
            Self::NonJson(line) => f.debug_tuple("NonJson").field(line).finish(),
            Self::TooLong(error) => f.debug_tuple("TooLong").field(error).finish(),
        }
    }
}

impl Incoming {
    /// Decodes a frame.
    pub fn decode(frame: Frame) -> Self {
        let Frame { line, kind, .. } = frame;
        if kind == FrameKind::NonJson {
            return Self::NonJson(line);
        }
        // In a result `type` comes late. With the kind known, its fields are read once instead of twice.
        if kind == FrameKind::Result
            && let Ok(result) = decode_bytes(text(line.as_bytes()))
        {
            return Self::Message(Message::Result(result), line);
        }
        match Message::from_bytes(text(line.as_bytes())) {
            Ok(message) => Self::Message(message, line),
            Err(error) => Self::Undecodable(error, line),
        }
    }

    /// Marks a message as a request without a handler.
    #[must_use]
    pub fn unhandled(self) -> Self {
        match self {
            Self::Message(message, line) => Self::Unhandled(message, line),
            other => other,
        }
    }

    /// Returns the message, if there is one.
    pub fn message(&self) -> Option<&Message> {
        match self {
            Self::Message(message, _) | Self::Unhandled(message, _) => Some(message),
            Self::Undecodable(..) | Self::NonJson(_) | Self::TooLong(_) => None,
        }
    }

    /// Converts into the message, if there is one.
    pub fn into_message(self) -> Option<Message> {
        match self {
            Self::Message(message, _) | Self::Unhandled(message, _) => Some(message),
            Self::Undecodable(..) | Self::NonJson(_) | Self::TooLong(_) => None,
        }
    }

    /// Returns whether this is a `result`, even an undecodable or over-long one.
    ///
    /// Use this to detect the end of a turn, rather than matching [`Message::Result`].
    /// Also true for a `result` that was cut off by the end of the stream: then the session ends with an error.
    pub fn ends_turn(&self) -> bool {
        match self {
            Self::Message(message, _) => matches!(message, Message::Result(_)),
            Self::Undecodable(_, line) => FrameKind::of(line.as_bytes()) == FrameKind::Result,
            Self::TooLong(FrameError::TooLong { kind, .. }) => *kind == FrameKind::Result,
            Self::NonJson(_) | Self::Unhandled(..) => false,
        }
    }

    /// Returns an error with a path for each field that is missing in the message because of its type, or repeated.
    ///
    /// Decodes the line again, since most lines have no such fields.
    pub fn set_aside(&self) -> Vec<DecodeError> {
        let line = self.message().and(self.line());
        let read = line.and_then(|line| Message::read(text(line.as_bytes())).ok());
        read.map(|(_, set_aside)| set_aside).unwrap_or_default()
    }

    /// Returns the line, unless it was dropped.
    pub fn line(&self) -> Option<&Line> {
        match self {
            Self::Message(_, line)
            | Self::Unhandled(_, line)
            | Self::Undecodable(_, line)
            | Self::NonJson(line) => Some(line),
            Self::TooLong(_) => None,
        }
    }
}

/// Removes a byte order mark, which is not JSON.
fn text(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
}
