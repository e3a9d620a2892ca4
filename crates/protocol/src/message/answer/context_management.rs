//! Context edits by the API.

/// The context edits that the API made before the model saw the request (`context_management`).
#[wire(Default, tolerant)]
pub struct ContextManagement {
    /// The edits.
    pub applied_edits: Vec<ContextEdit>,
}

/// One edit of the context.
#[wire(tag = "type")]
pub enum ContextEdit {
    /// Old tool uses were cleared.
    ClearedToolUses(ClearedToolUses) = "clear_tool_uses_20250919",
    /// Old thinking was cleared.
    ClearedThinking(ClearedThinking) = "clear_thinking_20251015",
}

/// Old tool uses were cleared (`clear_tool_uses_20250919`).
#[wire(Default, tolerant)]
pub struct ClearedToolUses {
    /// The number of input tokens removed.
    pub cleared_input_tokens: u64,
    /// The number of tool uses cleared.
    pub cleared_tool_uses: u64,
}

/// Old thinking was cleared (`clear_thinking_20251015`).
#[wire(Default, tolerant)]
pub struct ClearedThinking {
    /// The number of input tokens removed.
    pub cleared_input_tokens: u64,
    /// The number of turns without their thinking.
    pub cleared_thinking_turns: u64,
}
