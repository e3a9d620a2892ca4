//! Tools that the API runs itself: their calls and their errors.

use super::{CacheControl, Caller};
use crate::{RawJson, ToolUseId};

/// A call of a tool that the API runs itself (`server_tool_use`); the result is in the same answer.
#[wire]
pub struct ServerToolUse {
    /// The id, which the result repeats.
    pub id: ToolUseId,
    /// The tool.
    pub name: ServerTool,
    /// The input, as the model wrote it.
    pub input: RawJson,
    /// The caller of the tool; absent if the model called it directly.
    pub caller: Option<Caller>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// A tool that the API runs itself.
#[wire]
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
    /// Searches tools by a regular expression.
    ToolSearchRegex = "tool_search_tool_regex",
    /// Searches tools by keywords.
    ToolSearchBm25 = "tool_search_tool_bm25",
}

/// A failure of a tool that the API runs itself.
#[wire]
pub struct ServerToolError {
    /// The error code.
    pub error_code: ServerToolErrorCode,
    /// The error message; not every tool sends one.
    pub error_message: Option<String>,
}

/// The error of a tool that the API runs itself; each tool uses a few of these codes.
#[wire]
pub enum ServerToolErrorCode {
    /// The model's input was malformed.
    InvalidToolInput = "invalid_tool_input",
    /// The tool is unavailable.
    Unavailable = "unavailable",
    /// Too many requests.
    TooManyRequests = "too_many_requests",
    /// The execution timed out.
    ExecutionTimeExceeded = "execution_time_exceeded",
    /// The call exceeds the number of uses that the request allows.
    MaxUsesExceeded = "max_uses_exceeded",
    /// A file that the code wrote is too large.
    OutputFileTooLarge = "output_file_too_large",
    /// The file does not exist.
    FileNotFound = "file_not_found",
    /// The search was too long.
    QueryTooLong = "query_too_long",
    /// The request was too large.
    RequestTooLarge = "request_too_large",
    /// The URL was too long.
    UrlTooLong = "url_too_long",
    /// The request does not allow the URL.
    UrlNotAllowed = "url_not_allowed",
    /// The URL does not occur earlier in the conversation.
    UrlNotInPriorContext = "url_not_in_prior_context",
    /// The page could not be fetched.
    UrlNotAccessible = "url_not_accessible",
    /// The tool does not support the content type of the page.
    UnsupportedContentType = "unsupported_content_type",
    /// The page is too large.
    ContentTooLarge = "content_too_large",
    /// The prompt was too long for the advising model.
    PromptTooLong = "prompt_too_long",
    /// The advising model is overloaded.
    Overloaded = "overloaded",
    /// The advising model does not exist.
    ModelNotFound = "model_not_found",
}
