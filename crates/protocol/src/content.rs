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

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{SeqAccess, Visitor, value::SeqAccessDeserializer},
};

pub use advisor::{Advice, AdvisorContent, AdvisorToolResult, RedactedAdvice};
pub use block::Block;
pub use browser_state::{BrowserChange, BrowserState, BrowserTab, Download, TabOpened};
pub use cache_control::{CacheControl, CacheTtl, EphemeralCache};
pub use caller::{Caller, CodeCaller, DirectCaller};
pub use citation::{
    CharLocation, Citation, CitationsConfig, ContentBlockLocation, PageLocation, SearchResultLocation,
    WebSearchResultLocation,
};
pub use code_execution::{
    BashCodeExecutionContent, BashCodeExecutionToolResult, CodeExecutionContent, CodeExecutionResult,
    CodeExecutionToolResult, CodeOutput, EncryptedCodeExecutionResult, OutputFile,
};
pub use compaction::Compaction;
pub use container_upload::ContainerUpload;
pub use document::{ContentSource, Document, DocumentSource};
pub use fallback::{Fallback, FallbackModel, FallbackRefusal, FallbackTrigger};
pub use image::{Image, ImageSource, ImageTransformations, OversizedImage};
pub use mcp::{ListedMcpTool, McpToolListing, McpToolResult, McpToolUse};
pub use search_result::SearchResult;
pub use server_tool::{ServerTool, ServerToolError, ServerToolErrorCode, ServerToolUse};
pub use source::{FileSource, InlineSource, UrlSource};
pub use text::Text;
pub use text_editor::{
    FileCreated, FileEdited, FileView, TextEditorContent, TextEditorToolResult, ViewedFileType,
};
pub use thinking::{RedactedThinking, Thinking};
pub use tool_change::{
    McpToolReference, McpToolset, RequestToolReference, ToolAddition, ToolChange, ToolDefinition, ToolRemoval,
};
pub use tool_result::ToolResult;
pub use tool_search::{ToolReference, ToolSearchContent, ToolSearchToolResult, ToolsFound};
pub use tool_use::ToolUse;
pub use web_fetch::{WebFetchContent, WebFetchResult, WebFetchToolResult};
pub use web_search::{
    WebSearchContent, WebSearchFailure, WebSearchItem, WebSearchResult, WebSearchToolResult,
};

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

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Block> for Content {
    fn from(block: Block) -> Self {
        Self::Blocks(vec![block])
    }
}

impl From<Vec<Block>> for Content {
    fn from(blocks: Vec<Block>) -> Self {
        Self::Blocks(blocks)
    }
}

/// Serializes the inner value without a tag.
impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Blocks(blocks) => blocks.serialize(serializer),
        }
    }
}

/// Deserializes by the JSON type, without buffering; `null` is read as no blocks.
impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of content blocks")
    }

    fn visit_str<E>(self, text: &str) -> Result<Content, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Content, E> {
        Ok(text.into())
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Blocks(Vec::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Content, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Content::Blocks)
    }
}
