//! `hook_callback`: a hook fires.

use serde::{Deserialize, Serialize};

use super::InboundCall;
use crate::{DecodeError, RawJson, ToolUseId, hook::AnyInput};

/// A hook fires (`hook_callback`).
///
/// The reply is the [`HookAnswer`](crate::hook::HookAnswer) of the event.
/// To an error reply or an invalid one the CLI goes ahead, unless the matcher says otherwise.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct HookCallback {
    /// The callback, by the id that `initialize` gave it (`callback_id`).
    pub callback_id: Box<str>,
    /// The event's input, with its name in `hook_event_name` (`input`).
    pub input: RawJson,
    /// The tool use for tool events, and an id made up for the occasion for others (`tool_use_id`).
    pub tool_use_id: Option<ToolUseId>,
}

impl HookCallback {
    /// Reads the input, whichever event it is of.
    ///
    /// # Errors
    ///
    /// When a known event's input lacks a field or has one of another type.
    pub fn any_input(&self) -> Result<AnyInput, DecodeError> {
        self.input.decode()
    }
}

/// Which answer it is depends on the event, so it is raw here.
impl InboundCall for HookCallback {
    const SUBTYPE: &'static str = "hook_callback";
    type Reply = RawJson;
}
