//! What an `assistant` frame says beside the answer itself.

use serde::{Deserialize, Serialize};

use crate::{ToolName, ToolUseId};

/// How to show a tool use (an item of `tool_use_meta`).
///
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolUseMeta {
    /// The tool use.
    pub id: ToolUseId,
    /// The tool's name for a reader.
    pub display_name: Option<String>,
    /// The MCP server's name for a reader.
    pub server_display_name: Option<String>,
    /// The tool's name on its server.
    pub tool_name: Option<ToolName>,
}

/// A slash command that was run (`local_command_run`).
///
/// Not declared, seen on the wire.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct LocalCommandRun {
    /// The command, without its slash.
    pub command: Box<str>,
    /// What followed it.
    #[serde(default)]
    pub args: String,
}

/// How a slash command ended (`local_command_outcome`).
///
/// Not declared, seen on the wire.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct LocalCommandOutcome {
    /// What became of it.
    pub kind: Box<str>,
}
