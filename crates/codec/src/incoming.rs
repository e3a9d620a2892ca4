//! What the CLI said, decoded as far as it goes, with the line that it came as.

use agentwire_protocol::{DecodeError, Message};

use crate::{Frame, FrameError, FrameKind, Line};

/// One thing that the CLI said.
///
/// None of these ends a session: what can't be read is reported with its line, and reading goes on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Incoming {
    /// A message, and the line that it is a view of.
    ///
    /// Fields of the line that don't fit are missing in it: see [`set_aside`](Self::set_aside).
    Message(Message, Line),
    /// A line of a known kind that lacks what its kind would be nothing without, or an object that is broken.
    Undecodable(DecodeError, Line),
    /// A line that is no JSON object: a stray print of the CLI's or of something that it runs.
    NonJson(Line),
    /// A line that was too long and was dropped.
    TooLong(FrameError),
    /// A request of the CLI that nobody here handles; it has been answered with an error that says so, where it has an
    /// id.
    Unhandled(Message, Line),
}

impl Incoming {
    /// Decodes a frame.
    pub fn decode(frame: Frame) -> Self {
        let Frame { line, kind, .. } = frame;
        if kind == FrameKind::NonJson {
            return Self::NonJson(line);
        }
        match Message::from_bytes(text(line.as_bytes())) {
            Ok(message) => Self::Message(message, line),
            Err(error) => Self::Undecodable(error, line),
        }
    }

    /// The message, where there is one.
    pub fn message(&self) -> Option<&Message> {
        match self {
            Self::Message(message, _) | Self::Unhandled(message, _) => Some(message),
            Self::Undecodable(..) | Self::NonJson(_) | Self::TooLong(_) => None,
        }
    }

    /// The message, where there is one, to keep.
    pub fn into_message(self) -> Option<Message> {
        match self {
            Self::Message(message, _) | Self::Unhandled(message, _) => Some(message),
            Self::Undecodable(..) | Self::NonJson(_) | Self::TooLong(_) => None,
        }
    }

    /// Whether a turn ends with it: a `result`, also one that can't be read or was too long to be kept.
    ///
    /// Whoever waits for the end of a turn asks this, and not for a [`Message::Result`] alone.
    pub fn ends_turn(&self) -> bool {
        match self {
            Self::Message(message, _) => matches!(message, Message::Result(_)),
            Self::Undecodable(_, line) => FrameKind::of(line.as_bytes()) == FrameKind::Result,
            Self::TooLong(FrameError::TooLong { kind, .. }) => *kind == FrameKind::Result,
            Self::NonJson(_) | Self::Unhandled(..) => false,
        }
    }

    /// The fields of the line that don't fit and are missing in the message, or repeated: an error for each, with its path.
    ///
    /// Nearly always none. They are not kept: this reads the line again.
    pub fn set_aside(&self) -> Vec<DecodeError> {
        match self {
            Self::Message(_, line) | Self::Unhandled(_, line) => {
                Message::read(text(line.as_bytes())).map(|(_, set_aside)| set_aside).unwrap_or_default()
            }
            Self::Undecodable(..) | Self::NonJson(_) | Self::TooLong(_) => Vec::new(),
        }
    }

    /// The line, where it was not dropped.
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

/// The line without a byte order mark, which is no JSON.
fn text(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
}
