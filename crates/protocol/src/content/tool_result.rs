//! `tool_result`: what a tool gave.

use serde::{Deserialize, Serialize};

use super::{Block, Content};
use crate::{RawJson, ToolUseId};

/// What a tool gave (`tool_result`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// The tool use that it answers.
    pub tool_use_id: ToolUseId,
    /// Text or a list of blocks, as text: results are large, and most readers pass them on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<RawJson>,
    /// Whether the tool failed or was refused; absent means that it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
}

impl ToolResult {
    /// The text of the result, with the texts of several blocks joined by newlines.
    pub fn text(&self) -> String {
        let content = self.content.as_ref().and_then(|content| content.decode::<Content>().ok());
        match content {
            Some(Content::Text(text)) => text,
            Some(Content::Blocks(blocks)) => {
                let texts = blocks.iter().filter_map(|block| match block {
                    Block::Text(text) => Some(text.text.as_str()),
                    _ => None,
                });
                texts.collect::<Vec<_>>().join("\n")
            }
            None => String::new(),
        }
    }
}
