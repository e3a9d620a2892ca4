//! `prompt_suggestion`: a suggestion for the next prompt.

use crate::{SessionId, Uuid};

/// A suggestion for the next prompt (`prompt_suggestion`).
///
/// Sent after a turn if `initialize` has `promptSuggestions`.
#[wire]
pub struct PromptSuggestion {
    /// The prompt.
    #[serde(default)]
    pub suggestion: String,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}
