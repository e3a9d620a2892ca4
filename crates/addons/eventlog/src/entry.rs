//! The events of a log, and what a reader gets.

use agentwire_protocol::RawJson;

use crate::position::Position;

/// An event of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogEvent {
    /// The kind.
    pub kind: LogEventKind,
    /// The content, such as a message of the CLI as it was received.
    pub data: RawJson,
}

impl LogEvent {
    /// Returns an event of this kind.
    pub fn new(kind: LogEventKind, data: RawJson) -> Self {
        Self { kind, data }
    }

    /// Returns how many bytes of a log's limit the event uses.
    pub(crate) fn weight(&self) -> u64 {
        self.data.as_str().len() as u64 + OVERHEAD
    }
}

/// The kind of a [`LogEvent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LogEventKind {
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

impl LogEventKind {
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

    /// Returns whether an event of this kind deletes the deltas before it.
    pub(crate) const fn deletes_deltas(self) -> bool {
        matches!(self, Self::Start | Self::End)
    }
}

/// An event and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogEntry {
    /// The position.
    pub position: Position,
    /// The event.
    pub event: LogEvent,
}

impl LogEntry {
    /// Returns the entry of an event at a position.
    pub fn new(position: Position, event: LogEvent) -> Self {
        Self { position, event }
    }
}

/// The entries that a reader gets at once, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogBatch {
    /// The entries after the reader's position, at least one.
    pub entries: Vec<LogEntry>,
    /// Whether events other than deltas, between the reader's position and the first entry, were deleted because of the
    /// session's limit.
    pub has_gap: bool,
}

impl LogBatch {
    /// Returns a batch.
    pub fn new(entries: Vec<LogEntry>, has_gap: bool) -> Self {
        Self { entries, has_gap }
    }

    /// Returns the batch after a position. `lost` is the last event other than a delta that the limit has deleted.
    pub(crate) fn after(after: Position, lost: Position, entries: Vec<LogEntry>) -> Option<Self> {
        let first = entries.first()?.position;
        Some(Self { entries, has_gap: after < lost && lost < first })
    }
}

/// The highest number of entries in a batch.
pub(crate) const BATCH: usize = 64;

/// How many bytes an entry uses beside its data, by estimate.
pub(crate) const OVERHEAD: u64 = 64;
