//! Message content: text, or blocks distinguished by `type`.

mod advisor;
mod block;
mod browser_state;
mod cache_control;
mod caller;
mod citation;
mod code_execution;
mod compaction;
mod container_upload;
mod document;
mod fallback;
mod image;
mod mcp;
mod search_result;
mod server_tool;
mod source;
mod text;
mod text_editor;
mod thinking;
mod tool_change;
mod tool_result;
mod tool_search;
mod tool_use;
mod web_fetch;
mod web_search;

pub use advisor::*;
pub use block::*;
pub use browser_state::*;
pub use cache_control::*;
pub use caller::*;
pub use citation::*;
pub use code_execution::*;
pub use compaction::*;
pub use container_upload::*;
pub use document::*;
pub use fallback::*;
pub use image::*;
pub use mcp::*;
pub use search_result::*;
pub use server_tool::*;
pub use source::*;
pub use text::*;
pub use text_editor::*;
pub use thinking::*;
pub use tool_change::*;
pub use tool_result::*;
pub use tool_search::*;
pub use tool_use::*;
pub use web_fetch::*;
pub use web_search::*;

/// The content of a message or a tool result: plain text or blocks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// Plain text.
    Text(String),
    /// Blocks.
    Blocks(Vec<Block>),
}

impl Content {
    /// Returns the blocks; empty for plain text.
    pub fn blocks(&self) -> &[Block] {
        match self {
            Self::Text(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }

    /// Returns the text; the texts of several `text` blocks are joined by newlines, other blocks are skipped.
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Blocks(blocks) => blocks.iter().filter_map(Block::as_text).collect::<Vec<_>>().join("\n"),
        }
    }
}

impl From<Block> for Content {
    fn from(block: Block) -> Self {
        Self::Blocks(vec![block])
    }
}

crate::forms::from_payloads! { Content: &str => Text, String => Text, Vec<Block> => Blocks }
crate::forms::forms! { Content, "a string or a list of content blocks": text => Text, list => Blocks; null => Blocks }
