//! `prompt_suggestion`: what the user may say next.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// What the user may say next (`prompt_suggestion`).
///
/// Sent after a turn, where `initialize` asked for `promptSuggestions`.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PromptSuggestion {
    /// The prompt.
    #[serde(default)]
    pub suggestion: String,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
