//! `hook_callback`: the call of a hook callback.

use crate::{DecodeError, RawJson, ToolUseId, hook::AnyInput};

/// The call of a hook callback (`hook_callback`).
///
/// The reply is the [`HookAnswer`](crate::hook::HookAnswer) of the event.
/// After an error reply or an invalid reply the CLI proceeds, unless the matcher has
/// [`HookFailure::Block`](crate::control::HookFailure::Block), which some events ignore.
#[wire]
pub struct HookCallback {
    /// The id of the callback, assigned in `initialize` (`callback_id`).
    pub callback_id: Box<str>,
    /// The event's input, including `hook_event_name` (`input`); [`any_input`](Self::any_input) decodes it.
    pub input: RawJson,
    /// The tool call of a tool event; a generated id for other events (`tool_use_id`).
    pub tool_use_id: Option<ToolUseId>,
}

impl HookCallback {
    /// Deserializes the input of any event.
    ///
    /// # Errors
    ///
    /// Returns an error if the input of a known event lacks a field or has a field of the wrong type.
    pub fn any_input(&self) -> Result<AnyInput, DecodeError> {
        self.input.decode()
    }
}
