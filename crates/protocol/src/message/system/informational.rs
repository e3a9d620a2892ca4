//! `system/informational`: a line of text for the reader.

use serde::{Deserialize, Serialize};

use crate::{SessionId, ToolUseId, Uuid, open_enum::open_enum};

/// A line of text for the reader (`system/informational`): what a hook said, and other news that is no error.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Informational {
    /// The text, plain.
    #[serde(default)]
    pub content: String,
    /// How to show it.
    #[serde(default = "crate::lenient::empty")]
    pub level: InformationalLevel,
    /// The tool use that it belongs to; a newer line for the same one replaces it.
    pub tool_use_id: Option<ToolUseId>,
    /// Whether the turn ends here.
    pub prevent_continuation: Option<bool>,
    /// What it is about, such as `hook_callback_failed`; absent on ordinary lines.
    pub tag: Option<Box<str>>,
    /// What became of the prompt, where a hook held it back.
    /// Not declared, seen on the wire.
    pub prompt_submit_outcome: Option<PromptSubmitOutcome>,
    /// Whether no person is meant by it (`isMeta`).
    /// Not declared, seen on the wire.
    #[serde(rename = "isMeta")]
    pub is_meta: Option<bool>,
    /// When it was made, as ISO 8601 text.
    /// Not declared, seen on the wire.
    pub timestamp: Option<Box<str>>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// How to show a line of text.
    pub enum InformationalLevel {
        /// Only where everything is shown.
        Info = "info",
        /// Quietly.
        Notice = "notice",
        /// So that it is seen.
        Suggestion = "suggestion",
        /// So that it is seen, as a warning.
        Warning = "warning",
    }
}

/// What became of a prompt that a hook held back (`prompt_submit_outcome`).
///
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PromptSubmitOutcome {
    /// What happened, such as `blocked_by_hook`.
    pub kind: Box<str>,
    /// Whether the prompt stays in the conversation.
    pub prompt_kept: Option<bool>,
    /// Why, in the hook's words.
    pub reason: Option<String>,
}
