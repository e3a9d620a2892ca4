//! `system/permission_denied`: a tool use was refused without a question.

use serde::{Deserialize, Serialize};

use crate::{SessionId, ToolName, ToolUseId, Uuid};

/// A tool use was refused without a question to the host (`system/permission_denied`): by a rule, a mode or a
/// classifier.
///
/// The list in the `result` is the one to count by: not every refusal is told this way.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PermissionDenied {
    /// The tool.
    #[serde(default = "crate::lenient::empty")]
    pub tool_name: ToolName,
    /// The tool use.
    #[serde(default = "crate::lenient::empty")]
    pub tool_use_id: ToolUseId,
    /// The subagent that wanted it.
    pub agent_id: Option<Box<str>>,
    /// What decided, such as `rule`, `mode` or `classifier`.
    pub decision_reason_type: Option<Box<str>>,
    /// Why, in words.
    pub decision_reason: Option<String>,
    /// What decided, as a code.
    /// Not declared, seen on the wire.
    pub decision_reason_code: Option<Box<str>>,
    /// What the model is told.
    #[serde(default)]
    pub message: String,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
