//! The context of a hook handler.

use std::{
    sync::{Arc, OnceLock},
    time::Instant,
};

use agentwire_control::{CancellationToken, Control, FailureKind};
use agentwire_protocol::{RequestId, ToolUseId};

/// The context of a hook callback: its ids, its cancellation and deadline, and the session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookContext {
    /// The callback's id (`callback_id`), as it was declared in the handshake.
    pub callback_id: Box<str>,
    /// The tool use (`tool_use_id`); for events without a tool use the CLI invents an id.
    pub tool_use_id: Option<ToolUseId>,
    /// The control request's id.
    pub request_id: RequestId,
    /// Cancelled when the CLI cancels the request, because of its time limit or an interrupt, when the CLI's input or
    /// the session ends, and near this crate's own limit (see [`deadline`](Self::deadline)).
    ///
    /// The handler's future is dropped after a grace period. An answer to a cancelled request is not sent.
    pub cancelled: CancellationToken,
    /// The time by which the handler must answer, or `None` if an [`Instant`] can't represent it.
    ///
    /// The limit starts when the request arrives. It is the matcher's [`timeout`](crate::Matcher::timeout), or the event's
    /// [`DEFAULT_LIMIT`](agentwire_protocol::hook::HookEvent::DEFAULT_LIMIT), which is also the longest for `SessionEnd`.
    ///
    /// - If the CLI refuses late events ([`REFUSES_WHEN_LATE`](agentwire_protocol::hook::HookEvent::REFUSES_WHEN_LATE)),
    ///   or a failure does not refuse the event, the deadline is the CLI's limit, at which the CLI cancels the request.
    ///   If the CLI does not cancel it, the token is cancelled 5 seconds after the deadline, and 5 seconds later the
    ///   handler is dropped and counts as failed. [`Handlers`](crate::Handlers) may have
    ///   an earlier deadline, and their token is cancelled before that.
    /// - For other events, such as `Stop`, the CLI would let a late event pass, so this crate refuses it earlier: the
    ///   deadline is a fifth of the limit, at most 2 seconds, before the CLI's limit. The token is cancelled the same time
    ///   before the deadline. For a limit below five seconds the handshake declares a longer one, so that the CLI waits at
    ///   least a second longer than the handler may take.
    pub deadline: Option<Instant>,
    /// The session: calls from inside a handler work.
    pub control: Control,
    /// Whether a failure of the handler refuses the event.
    pub(crate) failure_refuses: bool,
    /// The first failure of several handlers, which another handler's answer may hide; see [`Handlers`](crate::Handlers).
    pub(crate) first_failure: Arc<OnceLock<(FailureKind, String)>>,
}
