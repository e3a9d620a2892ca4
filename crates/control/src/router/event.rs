//! The events of a router.

use std::sync::Arc;

#[cfg(feature = "driver")]
use agentwire_codec::FrameError;
use agentwire_codec::{Frame, FrameKind, Incoming, Line};
use agentwire_protocol::{InboundRequest, RawJson, RequestId, Uuid};

use crate::{ControlError, SessionExit};

/// What happened, in the order of the lines that caused it.
#[derive(Debug)]
#[non_exhaustive]
pub enum RouterEvent {
    /// An event for the reader of the session.
    Session(RawEvent),
    /// The CLI sent a request and waits for its answer.
    Inbound {
        /// The request's id.
        id: RequestId,
        /// The request; [`InboundRequest::Unknown`] for a subtype that this version does not know.
        request: InboundRequest,
        /// The request's line.
        line: Line,
    },
    /// The CLI cancelled a request, the router refused it, or the session ended: a later answer is not sent.
    InboundCancelled(RequestId),
    /// A call has ended.
    Answered {
        /// The request's id.
        id: RequestId,
        /// The `response` of a success (an empty object if there was none), or the error.
        reply: Result<RawJson, ControlError>,
    },
    /// The session has ended. Only the [`RouterEvent::Answered`] of later calls follow.
    Closed(Arc<SessionExit>),
}

/// An event for the reader of a session: a line, or a change of state that follows from one.
///
/// `I` is [`Incoming`] for a reader, and [`Received`] for a router.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SessionEvent<I = Incoming> {
    /// A message, or a line that can't be read as one, and the turn in which it arrived.
    Incoming(I, Arc<TurnInfo>),
    /// A turn has ended: with the message just before, or with the session.
    TurnEnded(TurnEnd),
    /// Every prompt has its result, and nothing runs in the background that could send a request: the input may be
    /// ended.
    ///
    /// Start the CLI with [`READS_SESSION_STATE`](agentwire_protocol::cli::env::READS_SESSION_STATE): without it, this may
    /// come before the turn that reports the end of a task to the model.
    RunOver,
}

/// A line as the router passes it on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Received {
    /// A line that the router need not decode. The reader decodes it.
    Frame(Frame),
    /// A line that the router has decoded, or an over-long line.
    Decoded(Incoming),
}

impl Received {
    /// Decodes the line, unless the router has. A control frame becomes [`Incoming::Unhandled`].
    pub fn decode(self) -> Incoming {
        match self {
            Self::Frame(frame) => {
                let is_control = matches!(
                    frame.kind,
                    FrameKind::Request(_) | FrameKind::Response(_) | FrameKind::Cancel(_)
                );
                let incoming = Incoming::decode(frame);
                if is_control { incoming.unhandled() } else { incoming }
            }
            Self::Decoded(incoming) => incoming,
        }
    }
}

/// A session event with a line that may not be decoded yet.
pub type RawEvent = SessionEvent<Received>;

impl RawEvent {
    /// Decodes the line, if any: see [`Received::decode`].
    pub fn decode(self) -> SessionEvent {
        match self {
            Self::Incoming(line, turn) => SessionEvent::Incoming(line.decode(), turn),
            Self::TurnEnded(end) => SessionEvent::TurnEnded(end),
            Self::RunOver => SessionEvent::RunOver,
        }
    }

    /// Returns the bytes of its line, or of the excerpt of a line that was too long.
    #[cfg(feature = "driver")]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Incoming(Received::Frame(frame), _) => frame.line.len(),
            Self::Incoming(Received::Decoded(Incoming::TooLong(FrameError::TooLong { excerpt, .. })), _) => {
                excerpt.len()
            }
            Self::Incoming(Received::Decoded(incoming), _) => incoming.line().map_or(0, Line::len),
            Self::TurnEnded(_) | Self::RunOver => 0,
        }
    }
}

/// The turn in which a message arrived.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TurnInfo {
    /// The number of turns that ended before it.
    pub index: u64,
    /// Whether it has begun. Messages before that, such as `command_lifecycle` messages and updates on background tasks,
    /// belong to no turn.
    pub has_begun: bool,
    /// The prompts that it answers, as far as the CLI has named them; the first 1024, in the order of their naming.
    ///
    /// From the first message of a turn on, the CLI names the prompts that the turn has included so far; its result
    /// names all of them, at most 64. CLI 2.1.197 names none.
    /// Each message that names a prompt has a list of its own, so the lists share the ids.
    pub prompts: Vec<Arc<Uuid>>,
    /// How it ended, if this is its last message.
    pub end: Option<TurnEnd>,
}

impl TurnInfo {
    /// Returns the turn of a message that follows: the same turn, or the next one if this is the last message.
    pub fn next(self: &Arc<Self>) -> Arc<Self> {
        match self.end {
            None => Arc::clone(self),
            Some(_) => Arc::new(Self { index: self.index + 1, ..Self::default() }),
        }
    }
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TurnEnd {
    /// With a result, a success or an error.
    Result,
    /// With a `result` line that can't be read.
    Unreadable,
    /// Without a `result`: the CLI went idle in the middle of the turn.
    Missing,
    /// Without a `result`: the session ended first.
    NoResult,
}

/// Counts of frames that were ignored because they match nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ignored {
    /// Responses without an id, with an unknown id, or to a call that has ended.
    pub responses: u64,
    /// Cancellations of requests that are not open.
    pub cancels: u64,
    /// Requests with the id of an open one.
    pub duplicate_requests: u64,
    /// Lines that were passed in after the session had ended.
    pub after_end: u64,
}
