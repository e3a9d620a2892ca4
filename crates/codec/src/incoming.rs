//! What the CLI said, decoded as far as it goes, with the line that it came as.

use agentwire_protocol::{DecodeError, Message};

use crate::{Frame, FrameError, Head, Line};

/// One thing that the CLI said.
///
/// None of these ends a session: what can't be read is reported with its line, and reading goes on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Incoming {
    /// A message, and the line that it is a view of.
    Message(Message, Line),
    /// A line of a known kind that can't be read as such, or an object that is broken.
    Undecodable(DecodeError, Line),
    /// A line that is no JSON object: a stray print of the CLI's or of something that it runs.
    Noise(Line),
    /// A line that was too long and was dropped.
    TooLong(FrameError),
    /// A request of the CLI that nobody here handles; it has been answered with an error that says so, where it has an
    /// id.
    Unhandled(Message, Line),
}

impl Incoming {
    /// Decodes a frame. The line has memory of its own then.
    pub fn decode(mut frame: Frame) -> Self {
        frame.detach();
        let Frame { line, head, .. } = frame;
        if head == Head::Noise {
            return Self::Noise(line);
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
            Self::Undecodable(..) | Self::Noise(_) | Self::TooLong(_) => None,
        }
    }

    /// The message, where there is one, to keep.
    pub fn into_message(self) -> Option<Message> {
        match self {
            Self::Message(message, _) | Self::Unhandled(message, _) => Some(message),
            Self::Undecodable(..) | Self::Noise(_) | Self::TooLong(_) => None,
        }
    }

    /// The line, where it was not dropped.
    pub fn line(&self) -> Option<&Line> {
        match self {
            Self::Message(_, line)
            | Self::Unhandled(_, line)
            | Self::Undecodable(_, line)
            | Self::Noise(line) => Some(line),
            Self::TooLong(_) => None,
        }
    }
}

/// The line without a byte order mark, which is no JSON.
fn text(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
}
