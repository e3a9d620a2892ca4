//! Tools that the API runs itself: their uses, and what may go wrong.

use serde::{Deserialize, Serialize};

use super::{CacheControl, Caller};
use crate::{RawJson, ToolUseId, open_enum::open_enum};

/// The model uses a tool that the API runs itself (`server_tool_use`); the result is in the same answer.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ServerToolUse {
    /// The id that the result will name.
    pub id: ToolUseId,
    /// The tool.
    pub name: ServerTool,
    /// The input, as the model wrote it.
    pub input: RawJson,
    /// Who made the tool use; absent where the model itself did.
    pub caller: Option<Caller>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

open_enum! {
    /// A tool that the API runs itself.
    pub enum ServerTool {
        /// Asks another model for advice.
        Advisor = "advisor",
        /// Searches the web.
        WebSearch = "web_search",
        /// Fetches a page or document.
        WebFetch = "web_fetch",
        /// Runs code.
        CodeExecution = "code_execution",
        /// Runs a command in a shell.
        BashCodeExecution = "bash_code_execution",
        /// Reads and edits files.
        TextEditorCodeExecution = "text_editor_code_execution",
        /// Searches tools by a pattern.
        ToolSearchRegex = "tool_search_tool_regex",
        /// Searches tools by words.
        ToolSearchBm25 = "tool_search_tool_bm25",
    }
}

/// A tool that the API runs itself did not do its work.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ServerToolError {
    /// What went wrong.
    pub error_code: ServerToolErrorCode,
    /// The same in words; not every tool tells it.
    pub error_message: Option<String>,
}

open_enum! {
    /// What went wrong with a tool that the API runs itself; each tool has its own few of these.
    pub enum ServerToolErrorCode {
        /// The model's input was malformed.
        InvalidToolInput = "invalid_tool_input",
        /// The tool is out of order.
        Unavailable = "unavailable",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// It took too long.
        ExecutionTimeExceeded = "execution_time_exceeded",
        /// The tool was used as often as the request allows.
        MaxUsesExceeded = "max_uses_exceeded",
        /// A file that the code wrote is too large.
        OutputFileTooLarge = "output_file_too_large",
        /// There is no such file.
        FileNotFound = "file_not_found",
        /// The search was too long.
        QueryTooLong = "query_too_long",
        /// The request was too large.
        RequestTooLarge = "request_too_large",
        /// The address was too long.
        UrlTooLong = "url_too_long",
        /// The address is not one of those that the request allows.
        UrlNotAllowed = "url_not_allowed",
        /// The address was not mentioned in the conversation before.
        UrlNotInPriorContext = "url_not_in_prior_context",
        /// The page could not be had.
        UrlNotAccessible = "url_not_accessible",
        /// The page is of a kind that the tool does not read.
        UnsupportedContentType = "unsupported_content_type",
        /// The page is too large.
        ContentTooLarge = "content_too_large",
        /// The prompt was too long for the model that was asked for advice.
        PromptTooLong = "prompt_too_long",
        /// The model that was asked for advice can't take more load.
        Overloaded = "overloaded",
        /// There is no such model to ask for advice.
        ModelNotFound = "model_not_found",
    }
}
