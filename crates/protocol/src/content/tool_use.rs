//! `tool_use`: the model wants to use a tool.

use serde::{Deserialize, Serialize};

use super::{CacheControl, Caller};
use crate::{RawJson, ToolName, ToolUseId};

/// The model wants to use a tool (`tool_use`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolUse {
    /// The id that the result will name.
    pub id: ToolUseId,
    /// The tool; those of MCP servers are called `mcp__server__tool`.
    pub name: ToolName,
    /// The input, as the model wrote it: a hook or a permission answer that changes it leaves this one as it was.
    ///
    /// It is `{}` in a `content_block_start`: the input streams as pieces of JSON text.
    pub input: RawJson,
    /// Who made the tool use; absent where the model itself did.
    pub caller: Option<Caller>,
    /// The family of the tool, where it belongs to one such as `browser` or `computer`.
    pub toolset_name: Option<Box<str>>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

impl ToolUse {
    /// A tool use with this input.
    pub fn new(id: impl Into<ToolUseId>, name: impl Into<ToolName>, input: RawJson) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input,
            caller: None,
            toolset_name: None,
            cache_control: None,
        }
    }
}
