//! `tool_result`: the result of a tool use.

use super::{CacheControl, Content};
use crate::{DecodeError, RawJson, ToolUseId, decode};

/// The result of a tool use (`tool_result`).
#[wire]
pub struct ToolResult {
    /// The tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// A string or a list of blocks, as JSON text: results are large, and most readers only forward them.
    /// [`typed_content`](Self::typed_content) decodes it.
    pub content: Option<RawJson>,
    /// Whether the tool failed or was denied; absent means no.
    pub is_error: Option<bool>,
    /// The family of the tool, such as `browser` or `computer`, if it belongs to one.
    pub toolset_name: Option<Box<str>>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

impl ToolResult {
    /// Returns a result with this content: text, or blocks of text, images, documents, search results, tool
    /// references or browser states.
    ///
    /// # Errors
    ///
    /// Returns an error if the content can't be serialized as JSON.
    pub fn new(
        tool_use_id: impl Into<ToolUseId>,
        content: impl Into<Content>,
    ) -> Result<Self, serde_json::Error> {
        Ok(Self {
            tool_use_id: tool_use_id.into(),
            content: Some(RawJson::encode(&content.into())?),
            is_error: None,
            toolset_name: None,
            cache_control: None,
        })
    }

    /// Returns the typed content; `None` if there is none. It is read tolerantly, as the blocks of a message are: a
    /// block that lacks a required field becomes [`Block::Unknown`](crate::Block::Unknown).
    ///
    /// # Errors
    ///
    /// Returns an error if the content is neither text nor a list of blocks.
    /// Positions count from the start of the content.
    pub fn typed_content(&self) -> Result<Option<Content>, DecodeError> {
        let read = |content: &RawJson| decode::tolerant(content.as_str(), |_, _| true);
        Ok(self.content.as_ref().map(read).transpose()?.map(|(content, _)| content))
    }

    /// Returns the text of the result; the texts of several blocks are joined by newlines.
    pub fn text(&self) -> String {
        self.typed_content().ok().flatten().map(Content::into_text).unwrap_or_default()
    }
}
