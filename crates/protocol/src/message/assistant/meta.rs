//! Metadata of an `assistant` frame.

use crate::{ToolName, ToolUseId};

/// Display data of a tool use (an item of `tool_use_meta`).
///
/// Not declared, seen on the wire.
#[wire]
pub struct ToolUseMeta {
    /// The tool use.
    pub id: ToolUseId,
    /// The tool's display name.
    pub display_name: Option<String>,
    /// The MCP server's display name.
    pub server_display_name: Option<String>,
    /// The tool's name on the server.
    pub tool_name: Option<ToolName>,
}

/// A slash command that ran (`local_command_run`).
///
/// Not declared, seen on the wire.
#[wire]
pub struct LocalCommandRun {
    /// The command, without its slash.
    pub command: Box<str>,
    /// The arguments.
    #[serde(default)]
    pub args: String,
}

/// The outcome of a slash command (`local_command_outcome`).
///
/// Not declared, seen on the wire.
#[wire]
pub struct LocalCommandOutcome {
    /// The outcome.
    pub kind: Box<str>,
}
