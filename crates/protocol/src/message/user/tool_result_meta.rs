//! How a tool use came to its result.

use serde::{Deserialize, Serialize};

use crate::ToolUseId;

/// How a tool use came to its result (an item of `tool_result_meta`).
///
/// Not declared, seen on the wire.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolResultMeta {
    /// The tool use.
    pub id: ToolUseId,
    /// Why the tool did not run, such as `user-rejected` or `permission-rule`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub non_execution_kind: Option<Box<str>>,
    /// How it was permitted or refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_decision: Option<PermissionOutcome>,
}

/// How a tool use was permitted or refused (`permission_decision`).
///
/// Not declared, seen on the wire.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PermissionOutcome {
    /// `accept` or `reject`.
    #[serde(default)]
    pub decision: Box<str>,
    /// Who decided, such as `config`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<str>>,
    /// By what, such as `rule`, `mode` or `subcommandResults`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_type: Option<Box<str>>,
}
