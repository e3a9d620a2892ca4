//! The events of a router.

use std::sync::Arc;

use agentwire_codec::{Frame, FrameError, FrameKind, Incoming, Line};
use agentwire_protocol::{InboundRequest, RawJson, RequestId};

use crate::{ControlError, SessionEnd};

/// What happened, in the order of the lines that caused it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
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
    /// The CLI cancelled a request, or the session ended: an answer will not be sent.
    InboundCancelled(RequestId),
    /// A call has ended.
    Answered {
        /// The request's id.
        id: RequestId,
        /// The `response` of a success, an empty object where it had none; or the error.
        reply: Result<RawJson, ControlError>,
    },
    /// The session has ended. Only the [`Event::Answered`] of later calls follow.
    Closed(Arc<SessionEnd>),
}

/// An event for the reader of a session: a line, or a change of state that follows from one.
///
/// `I` is [`Incoming`] for a reader, and the undecoded line for a router ([`RawEvent`]).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SessionEvent<I = Incoming> {
    /// A message, or a line that can't be read as one.
    Incoming(I),
    /// A turn has ended. Its result, where it has one, came just before.
    TurnEnded(TurnEnd),
    /// Every prompt has its result, and nothing runs in the background that could send a request: the input may be
    /// ended.
    RunOver,
}

/// A session event with an undecoded line, or with the error of a line that was too long.
pub type RawEvent = SessionEvent<Result<Frame, FrameError>>;

impl RawEvent {
    /// Decodes the line, if any. A control frame becomes [`Incoming::Unhandled`].
    pub fn decode(self) -> SessionEvent {
        match self {
            Self::Incoming(Ok(frame)) => SessionEvent::Incoming(decode(frame)),
            Self::Incoming(Err(fault)) => SessionEvent::Incoming(Incoming::TooLong(fault)),
            Self::TurnEnded(end) => SessionEvent::TurnEnded(end),
            Self::RunOver => SessionEvent::RunOver,
        }
    }

    /// Returns the bytes of its line, or of the excerpt of a line that was too long.
    #[cfg(feature = "driver")]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Incoming(Ok(frame)) => frame.line.len(),
            Self::Incoming(Err(FrameError::TooLong { excerpt, .. })) => excerpt.len(),
            Self::Incoming(Err(_)) | Self::TurnEnded(_) | Self::RunOver => 0,
        }
    }
}

/// Decodes a line for the reader. A control frame is never an ordinary message.
fn decode(frame: Frame) -> Incoming {
    let is_control =
        matches!(frame.kind, FrameKind::Request(_) | FrameKind::Response(_) | FrameKind::Cancel(_));
    match Incoming::decode(frame) {
        Incoming::Message(message, line) if is_control => Incoming::Unhandled(message, line),
        incoming => incoming,
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
