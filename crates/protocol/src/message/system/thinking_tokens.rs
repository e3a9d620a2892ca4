//! `system/thinking_tokens`: the progress of thinking.

use crate::Uuid;

/// The progress of thinking (`system/thinking_tokens`); an estimate for display, not for billing.
#[wire(tolerant, message)]
pub struct ThinkingTokens {
    /// The tokens of the current thinking block so far.
    pub estimated_tokens: u64,
    /// The new tokens since the last message.
    pub estimated_tokens_delta: u64,
    /// The prompt that the turn answers, by the id that the host chose.
    pub user_message_uuid: Option<Uuid>,
}
