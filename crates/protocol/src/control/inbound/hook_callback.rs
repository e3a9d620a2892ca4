//! `hook_callback`: the call of a hook callback.

use crate::{RawJson, ToolUseId};

/// The call of a hook callback (`hook_callback`).
///
/// The reply is the [`HookAnswer`](crate::hook::HookAnswer) of the event.
/// After an error reply or an invalid reply the CLI proceeds, unless the matcher has
/// [`HookFailure::Block`](crate::control::HookFailure::Block), which some events ignore.
#[wire]
pub struct HookCallback {
    /// The id of the callback, assigned in `initialize` (`callback_id`).
    pub callback_id: Box<str>,
    /// The event's input, including `hook_event_name` (`input`); decodes as [`AnyInput`](crate::hook::AnyInput).
    pub input: RawJson,
    /// The tool use of a tool event; a generated id for other events (`tool_use_id`).
    pub tool_use_id: Option<ToolUseId>,
}
