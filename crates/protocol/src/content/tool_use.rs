//! `tool_use`: the model wants to use a tool.

use serde::{Deserialize, Serialize};

use crate::{RawJson, ToolUseId};

/// The model wants to use a tool (`tool_use`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolUse {
    /// The id that the result will name.
    pub id: ToolUseId,
    /// The tool; those of MCP servers are called `mcp__server__tool`.
    pub name: Box<str>,
    /// The input, as the model wrote it: a hook or a permission answer that changes it leaves this one as it was.
    pub input: RawJson,
}
