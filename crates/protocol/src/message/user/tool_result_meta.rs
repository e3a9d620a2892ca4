//! How a tool use came to its result.

use serde::{Deserialize, Serialize};

use crate::ToolUseId;

/// How a tool use came to its result (an item of `tool_result_meta`).
///
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolResultMeta {
    /// The tool use.
    pub id: ToolUseId,
    /// Why the tool did not run, such as `user-rejected` or `permission-rule`.
    pub non_execution_kind: Option<Box<str>>,
    /// How it was permitted or refused.
    pub permission_decision: Option<PermissionOutcome>,
}

/// How a tool use was permitted or refused (`permission_decision`).
///
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PermissionOutcome {
    /// `accept` or `reject`.
    #[serde(default)]
    pub decision: Box<str>,
    /// Who decided, such as `config`.
    pub source: Option<Box<str>>,
    /// By what, such as `rule`, `mode` or `subcommandResults`.
    pub reason_type: Option<Box<str>>,
}
