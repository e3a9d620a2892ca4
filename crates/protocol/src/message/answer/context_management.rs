//! What the API cleared out of a long context.

use serde::{Deserialize, Serialize};

use crate::tagged::tagged;

/// What the API did to the context before the model saw it (`context_management`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ContextManagement {
    /// Each edit that was made.
    #[serde(default)]
    pub applied_edits: Vec<ContextEdit>,
}

tagged! {
    /// One edit of the context.
    pub enum ContextEdit by "type" {
        /// Old tool uses were cleared.
        ClearedToolUses(ClearedToolUses) = "clear_tool_uses_20250919",
        /// Old thinking was cleared.
        ClearedThinking(ClearedThinking) = "clear_thinking_20251015",
    }
}

/// Old tool uses were cleared (`clear_tool_uses_20250919`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ClearedToolUses {
    /// How many tokens that took off the input.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub cleared_input_tokens: u64,
    /// How many tool uses were cleared.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub cleared_tool_uses: u64,
}

/// Old thinking was cleared (`clear_thinking_20251015`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ClearedThinking {
    /// How many tokens that took off the input.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub cleared_input_tokens: u64,
    /// How many turns lost their thinking.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub cleared_thinking_turns: u64,
}
