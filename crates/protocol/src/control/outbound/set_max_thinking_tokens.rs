//! `set_max_thinking_tokens`: the limit and the display of thinking.

use crate::{Nullable, message::ThinkingDisplay};

/// Sets the limit and the display of thinking (`set_max_thinking_tokens`).
///
/// If a value has the wrong type, the CLI replies with an error and applies neither.
#[wire(Default, Eq)]
pub struct SetMaxThinkingTokens {
    /// The maximum number of thinking tokens; `Null` for the session's default, `Absent` to keep the current value.
    pub max_thinking_tokens: Nullable<u64>,
    /// The display of thinking; `Null` for the CLI's default, `Absent` to keep the current value.
    pub thinking_display: Nullable<ThinkingDisplay>,
}

impl SetMaxThinkingTokens {
    /// Returns a request to set the limit, or the session's default, without changing the display.
    pub fn new(max_thinking_tokens: Option<u64>) -> Self {
        Self { max_thinking_tokens: max_thinking_tokens.into(), thinking_display: Nullable::Absent }
    }
}
