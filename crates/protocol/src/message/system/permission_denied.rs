//! `system/permission_denied`: a tool use was denied without asking.

use crate::{ToolName, ToolUseId, permission::DecisionReason};

/// A tool use was denied without asking the host (`system/permission_denied`): by a rule, a mode or a
/// classifier.
///
/// Not every denial is reported by this message: use the list in the `result` for counting.
#[wire(tolerant, message)]
pub struct PermissionDenied {
    /// The tool.
    #[serde(default = "crate::lenient::empty")]
    pub tool_name: ToolName,
    /// The tool use.
    #[serde(default = "crate::lenient::empty")]
    pub tool_use_id: ToolUseId,
    /// The requesting subagent.
    pub agent_id: Option<Box<str>>,
    /// The kind of reason.
    pub decision_reason_type: Option<DecisionReason>,
    /// The reason, for display.
    pub decision_reason: Option<String>,
    /// The reason, as a code.
    /// Not declared, seen on the wire.
    pub decision_reason_code: Option<Box<str>>,
    /// The message that the model sees.
    pub message: String,
}
