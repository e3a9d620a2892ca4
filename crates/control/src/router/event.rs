//! What the router has to say.

use std::sync::Arc;

use agentwire_codec::{Incoming, Line};
use agentwire_protocol::{InboundRequest, RawJson, RequestId};

use crate::{ControlError, SessionEnd};

/// What happened, in the order of the lines that it came of.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// Something for the user: a message, or a line that can't be read as one.
    Incoming(Incoming),
    /// The CLI asks. Answer it, or it waits.
    Inbound {
        /// The request's id.
        id: RequestId,
        /// What it asks; of an unknown kind where this version does not know it.
        request: InboundRequest,
        /// The line that it came as.
        line: Line,
    },
    /// The CLI took a request back, or the session ended: an answer will not be sent.
    InboundCancelled(RequestId),
    /// A request of ours has ended.
    Answered {
        /// The request's id.
        id: RequestId,
        /// The `response` of a success, an empty object where it had none; or why there is none.
        reply: Result<RawJson, ControlError>,
    },
    /// A turn has ended. Its result, where it has one, came just before.
    TurnEnded(TurnEnd),
    /// Every prompt has its result and nothing runs in the background that could ask us: input may be ended.
    RunOver,
    /// The session has ended; nothing comes after but the [`Event::Answered`] of requests that are made after it.
    Closed(Arc<SessionEnd>),
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TurnEnd {
    /// With a result, good or bad.
    Result,
    /// With a `result` line that can't be read.
    Unreadable,
    /// Without a `result`: the CLI went idle in the middle of the turn.
    Missing,
    /// The session ended first.
    NoResult,
}

/// How often something came that belongs to nothing, and was ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ignored {
    /// Responses with no id, one that we never gave, or one that is answered already.
    pub responses: u64,
    /// Cancellations of requests that are not open.
    pub cancels: u64,
    /// Requests with the id of one that is open.
    pub duplicate_requests: u64,
    /// Lines that were handed in after the session had ended.
    pub after_end: u64,
}
