//! `tool_result`: what a tool gave.

use serde::{Deserialize, Serialize};

use super::{CacheControl, Content};
use crate::{DecodeError, RawJson, ToolUseId};

/// What a tool gave (`tool_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// The tool use that it answers.
    pub tool_use_id: ToolUseId,
    /// Text or a list of blocks, as text: results are large, and most readers pass them on.
    pub content: Option<RawJson>,
    /// Whether the tool failed or was refused; absent means that it did not.
    pub is_error: Option<bool>,
    /// The family of the tool, where it belongs to one such as `browser` or `computer`.
    pub toolset_name: Option<Box<str>>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

impl ToolResult {
    /// A result with this content: text, or blocks of text, pictures, documents, search results, tool references or a
    /// browser's state.
    ///
    /// # Errors
    ///
    /// When the content can't be written as JSON.
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

    /// The typed content; `None` where there is none.
    ///
    /// # Errors
    ///
    /// When it is neither text nor a list of blocks, or a known block has a missing or wrong field.
    /// The positions count from the start of the content.
    pub fn typed_content(&self) -> Result<Option<Content>, DecodeError> {
        self.content.as_ref().map(RawJson::decode).transpose()
    }

    /// The text of the result, with the texts of several blocks joined by newlines.
    pub fn text(&self) -> String {
        self.typed_content().ok().flatten().map(Content::into_text).unwrap_or_default()
    }
}
