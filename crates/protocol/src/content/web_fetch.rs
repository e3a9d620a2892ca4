//! `web_fetch_tool_result`: a page that the API fetched.

use super::{Block, CacheControl, Caller, ServerToolError};
use crate::ToolUseId;

/// A page that the API fetched (`web_fetch_tool_result`).
#[wire]
pub struct WebFetchToolResult {
    /// The tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The page or the error.
    pub content: WebFetchContent,
    /// The caller of the tool; absent if the model called it directly.
    pub caller: Option<Caller>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The page or the error.
#[wire(tag = "type")]
pub enum WebFetchContent {
    /// A page or document.
    Fetched(Box<WebFetchResult>) = "web_fetch_result",
    /// The fetch failed.
    Error(ServerToolError) = "web_fetch_tool_result_error",
}

/// A fetched page or document (`web_fetch_result`).
#[wire]
pub struct WebFetchResult {
    /// The URL.
    pub url: Box<str>,
    /// The content: a `document` block.
    pub content: Block,
    /// When it was fetched, as ISO 8601 text.
    pub retrieved_at: Option<Box<str>>,
}
