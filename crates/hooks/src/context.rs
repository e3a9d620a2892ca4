//! What a hook handler may know beside its event's input.

use std::{
    sync::{Arc, OnceLock},
    time::Instant,
};

use agentwire_control::{CallContext, CancellationToken, Control, FailureKind};
use agentwire_protocol::{RequestId, ToolUseId};

/// What a hook handler may know beside its event's input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookContext {
    /// The callback's id (`callback_id`), as it was declared in the handshake.
    pub callback_id: Box<str>,
    /// The tool use for tool events; for others the CLI makes an id up (`tool_use_id`).
    pub tool_use_id: Option<ToolUseId>,
    /// The control request's id.
    pub request_id: RequestId,
    /// Fires when the CLI no longer waits, because of its time limit or an interrupt, when the session ends, and when our
    /// own limit is near or past (see [`deadline`](Self::deadline)).
    ///
    /// The handler's future is dropped a grace later; what it returns is not sent once the CLI no longer waits.
    pub cancelled: CancellationToken,
    /// Until when an answer counts; `None` where that is too far away to be told.
    ///
    /// It is counted from when the request came, by the matcher's [`timeout`](crate::Matcher::timeout) or, without one,
    /// by the event's [`DEFAULT_LIMIT`](agentwire_protocol::hook::HookEvent::DEFAULT_LIMIT).
    /// Where the CLI by itself refuses what is not answered in time
    /// ([`REFUSES_WHEN_LATE`](agentwire_protocol::hook::HookEvent::REFUSES_WHEN_LATE)), and where the event or the
    /// handler refuses nothing, it is the CLI's limit; the CLI then takes the request back, and should it not, the token
    /// fires 5 seconds later, and the handler is given up, as failed, after 5 more.
    /// For other events, such as `Stop`, the CLI would let pass what the handler guards.
    /// There the refusal is ours and comes shortly before the CLI's limit: by a fifth of it, at most 2 seconds.
    /// That is the deadline, and the token fires as long before it again; a limit of less than five seconds is a longer
    /// one for the CLI, which has a second more than the handler then.
    pub deadline: Option<Instant>,
    /// The session: calls from inside a handler work.
    pub control: Control,
    /// Whether the handler's failure is answered with a refusal.
    pub(crate) failure_refuses: bool,
    /// The first failure of several handlers, which another handler's answer may hide; see [`Handlers`](crate::Handlers).
    pub(crate) first_failure: Arc<OnceLock<(FailureKind, String)>>,
}

impl HookContext {
    pub(crate) fn new(
        callback_id: Box<str>,
        tool_use_id: Option<ToolUseId>,
        context: CallContext,
        deadline: Option<Instant>,
    ) -> Self {
        Self {
            callback_id,
            tool_use_id,
            request_id: context.request_id,
            // One of its own: our limit must not look as if the CLI had taken the request back.
            cancelled: context.cancelled.child_token(),
            deadline,
            control: context.control,
            failure_refuses: false,
            first_failure: Arc::default(),
        }
    }
}
