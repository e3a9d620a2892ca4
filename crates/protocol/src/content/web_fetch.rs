//! `web_fetch_tool_result`: what the API fetched from the web.

use serde::{Deserialize, Serialize};

use super::{Block, CacheControl, Caller, ServerToolError};
use crate::{ToolUseId, tagged::tagged};

/// What the API fetched from the web (`web_fetch_tool_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct WebFetchToolResult {
    /// The tool use that it answers.
    pub tool_use_id: ToolUseId,
    /// What was fetched, or what went wrong.
    pub content: WebFetchContent,
    /// Who made the tool use; absent where the model itself did.
    pub caller: Option<Caller>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

tagged! {
    /// What was fetched, or what went wrong.
    pub enum WebFetchContent by "type" {
        /// A page or document.
        Fetched(Box<WebFetchResult>) = "web_fetch_result",
        /// It could not be had.
        Error(ServerToolError) = "web_fetch_tool_result_error",
    }
}

/// A page or document that was fetched (`web_fetch_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct WebFetchResult {
    /// The address.
    pub url: Box<str>,
    /// What was there: a `document` block.
    pub content: Block,
    /// When it was fetched, as ISO 8601 text.
    pub retrieved_at: Option<Box<str>>,
}
