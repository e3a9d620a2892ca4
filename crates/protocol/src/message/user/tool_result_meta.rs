//! Metadata of tool results.

use crate::{RawJson, ToolUseId, permission::DecisionReason};

/// The metadata of a tool result (an item of `tool_result_meta`).
///
/// Not declared, seen on the wire.
#[wire]
pub struct ToolResultMeta {
    /// The tool use.
    pub id: ToolUseId,
    /// The reason why the tool did not run, such as `user-rejected` or `permission-rule`.
    pub non_execution_kind: Option<Box<str>>,
    /// The permission decision.
    pub permission_decision: Option<PermissionOutcome>,
    /// The kind of help that the user needs, such as `{"kind":"sandbox_violation"}` for a command that the sandbox
    /// stopped.
    pub remedy: Option<RawJson>,
}

/// The permission decision of a tool use (`permission_decision`).
///
/// Not declared, seen on the wire.
#[wire(tolerant)]
pub struct PermissionOutcome {
    /// `accept` or `reject`.
    pub decision: Box<str>,
    /// The source of the decision, such as `config`.
    pub source: Option<Box<str>>,
    /// The kind of reason.
    pub reason_type: Option<DecisionReason>,
}
