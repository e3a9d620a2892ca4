//! The frames of a log, and what a reader gets.

use agentwire_protocol::RawJson;

use crate::position::Position;

/// A frame of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame {
    /// The kind.
    pub kind: FrameKind,
    /// The content, such as a message of the CLI as it was received.
    pub data: RawJson,
}

impl Frame {
    /// Returns a frame of this kind.
    pub fn new(kind: FrameKind, data: RawJson) -> Self {
        Self { kind, data }
    }

    /// Returns how many bytes of a log's limit the frame uses.
    pub(crate) fn weight(&self) -> u64 {
        self.data.as_str().len() as u64 + OVERHEAD
    }
}

/// The kind of a [`Frame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FrameKind {
    /// The start of a turn. All deltas of earlier turns are deleted.
    Start,
    /// A whole message.
    Message,
    /// A part of a message that follows as a whole.
    Delta,
    /// A question to a person.
    Question,
    /// The end of a turn. All deltas are deleted.
    End,
}

impl FrameKind {
    /// Returns the name of the kind, which is the name of the server-sent event.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Message => "message",
            Self::Delta => "delta",
            Self::Question => "question",
            Self::End => "end",
        }
    }

    /// Returns the kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let kinds = [Self::Start, Self::Message, Self::Delta, Self::Question, Self::End];
        kinds.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns whether a frame of this kind deletes the deltas before it.
    pub(crate) const fn deletes_deltas(self) -> bool {
        matches!(self, Self::Start | Self::End)
    }
}

/// A frame and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The position.
    pub position: Position,
    /// The frame.
    pub frame: Frame,
}

impl Entry {
    /// Returns the entry of a frame at a position.
    pub fn new(position: Position, frame: Frame) -> Self {
        Self { position, frame }
    }
}

/// The entries that a reader gets at once, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Batch {
    /// The entries after the reader's position, at least one.
    pub entries: Vec<Entry>,
    /// Whether frames other than deltas, between the reader's position and the first entry, were deleted because of the
    /// session's limit.
    pub has_gap: bool,
}

impl Batch {
    /// Returns a batch.
    pub fn new(entries: Vec<Entry>, has_gap: bool) -> Self {
        Self { entries, has_gap }
    }

    /// Returns a batch after a position, in a log that has deleted `lost` as the last frame other than deltas.
    pub(crate) fn after(after: Position, lost: Position, entries: Vec<Entry>) -> Option<Self> {
        let first = entries.first()?.position;
        Some(Self { entries, has_gap: after < lost && lost < first })
    }
}

/// How many entries a batch has at most.
pub(crate) const BATCH: usize = 64;

/// How many bytes an entry uses beside its data, by estimate.
pub(crate) const OVERHEAD: u64 = 64;
