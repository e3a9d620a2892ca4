//! `system/informational`: a line of text for display.

use crate::ToolUseId;

/// A line of text for display (`system/informational`): a message of a hook, or other information that is not an error.
#[wire(tolerant, message)]
pub struct Informational {
    /// The plain text.
    pub content: String,
    /// The display level.
    #[serde(default = "crate::lenient::empty")]
    pub level: InformationalLevel,
    /// The tool use that it belongs to; a newer line for the same tool use replaces it.
    pub tool_use_id: Option<ToolUseId>,
    /// Whether the turn ends here.
    pub prevent_continuation: Option<bool>,
    /// A tag such as `hook_callback_failed`; absent on ordinary lines.
    pub tag: Option<Box<str>>,
    /// The outcome of the prompt, if a hook blocked it.
    /// Not declared, seen on the wire.
    pub prompt_submit_outcome: Option<PromptSubmitOutcome>,
    /// Whether it is not meant for the user (`isMeta`).
    /// Not declared, seen on the wire.
    #[serde(rename = "isMeta")]
    pub is_meta: Option<bool>,
    /// The creation time, as ISO 8601 text.
    /// Not declared, seen on the wire.
    pub timestamp: Option<Box<str>>,
}

/// The display level of a line.
#[wire]
pub enum InformationalLevel {
    /// Show only in verbose mode.
    Info = "info",
    /// Show unobtrusively.
    Notice = "notice",
    /// Show prominently.
    Suggestion = "suggestion",
    /// Show prominently as a warning.
    Warning = "warning",
}

/// The outcome of a prompt that a hook blocked (`prompt_submit_outcome`).
///
/// Not declared, seen on the wire.
#[wire]
pub struct PromptSubmitOutcome {
    /// The kind, such as `blocked_by_hook`.
    pub kind: Box<str>,
    /// Whether the prompt stays in the conversation.
    pub prompt_kept: Option<bool>,
    /// The hook's reason.
    pub reason: Option<String>,
}
