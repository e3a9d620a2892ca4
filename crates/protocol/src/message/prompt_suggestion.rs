//! `prompt_suggestion`: what the user may say next.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// What the user may say next (`prompt_suggestion`).
///
/// Sent after a turn, where `initialize` asked for `promptSuggestions`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PromptSuggestion {
    /// The prompt.
    #[serde(default)]
    pub suggestion: String,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
}
