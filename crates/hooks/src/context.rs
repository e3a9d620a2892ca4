//! What a hook handler may know beside its event's input.

use agentwire_control::{CallContext, Control};
use agentwire_protocol::{RequestId, ToolUseId, control::HookCallback};
use tokio_util::sync::CancellationToken;

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
    /// Fires when the CLI no longer waits, because of its time limit or an interrupt, and when the session ends.
    ///
    /// The handler's future is dropped a grace later, and what it returns is not sent.
    pub cancelled: CancellationToken,
    /// The session: calls from inside a handler work.
    pub control: Control,
}

impl HookContext {
    pub(crate) fn new(callback: &HookCallback, context: CallContext) -> Self {
        Self {
            callback_id: callback.callback_id.clone(),
            tool_use_id: callback.tool_use_id.clone(),
            request_id: context.request_id,
            cancelled: context.cancelled,
            control: context.control,
        }
    }
}
