//! `tool_use`: a tool use by the model.

use super::{CacheControl, Caller};
use crate::{RawJson, ToolName, ToolUseId};

/// A tool use by the model (`tool_use`).
#[wire(new)]
pub struct ToolUse {
    /// The id, which the result repeats.
    pub id: ToolUseId,
    /// The tool; those of MCP servers are called `mcp__server__tool`.
    pub name: ToolName,
    /// The input, as the model wrote it. A hook or a permission decision that changes the input does not change
    /// this field.
    ///
    /// [`typed_input`](Self::typed_input) decodes it for the CLI's own tools.
    /// It is `{}` in a `content_block_start`: the input streams as fragments of JSON text.
    pub input: RawJson,
    /// The caller of the tool; absent if the model called it directly.
    pub caller: Option<Caller>,
    /// The family of the tool, such as `browser` or `computer`, if it belongs to one.
    pub toolset_name: Option<Box<str>>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}
