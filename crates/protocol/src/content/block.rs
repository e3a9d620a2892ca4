//! Content blocks, distinguished by `type`.

use super::{
    AdvisorToolResult, BashCodeExecutionToolResult, BrowserState, CodeExecutionToolResult, Compaction,
    ContainerUpload, Document, Fallback, Image, McpToolListing, McpToolResult, McpToolUse, RedactedThinking,
    SearchResult, ServerToolUse, Text, TextEditorToolResult, Thinking, ToolAddition, ToolReference,
    ToolRemoval, ToolResult, ToolSearchToolResult, ToolUse, WebFetchToolResult, WebSearchToolResult,
};
use crate::forms::from_payloads;

/// A content block of an answer, a prompt or a tool result.
#[wire(tag = "type")]
pub enum Block {
    /// Text.
    Text(Text) = "text",
    /// The model's thinking.
    Thinking(Thinking) = "thinking",
    /// Thinking in encrypted form.
    RedactedThinking(RedactedThinking) = "redacted_thinking",
    /// A tool use by the model.
    ToolUse(Box<ToolUse>) = "tool_use",
    /// The result of a tool use.
    ToolResult(Box<ToolResult>) = "tool_result",
    /// An image.
    Image(Box<Image>) = "image",
    /// A PDF or a text.
    Document(Box<Document>) = "document",
    /// A search result that the host provides.
    SearchResult(Box<SearchResult>) = "search_result",
    /// A call of a tool that the API runs itself.
    ServerToolUse(Box<ServerToolUse>) = "server_tool_use",
    /// The result of a web search.
    WebSearchToolResult(Box<WebSearchToolResult>) = "web_search_tool_result",
    /// The result of a web fetch.
    WebFetchToolResult(Box<WebFetchToolResult>) = "web_fetch_tool_result",
    /// Advice of another model.
    AdvisorToolResult(Box<AdvisorToolResult>) = "advisor_tool_result",
    /// The result of code execution.
    CodeExecutionToolResult(Box<CodeExecutionToolResult>) = "code_execution_tool_result",
    /// The result of a shell command.
    BashCodeExecutionToolResult(Box<BashCodeExecutionToolResult>) = "bash_code_execution_tool_result",
    /// The result of reading or editing a file.
    TextEditorToolResult(Box<TextEditorToolResult>) = "text_editor_code_execution_tool_result",
    /// The result of a tool search.
    ToolSearchToolResult(Box<ToolSearchToolResult>) = "tool_search_tool_result",
    /// A call of a tool of an MCP server that the API connects to.
    McpToolUse(Box<McpToolUse>) = "mcp_tool_use",
    /// The result of an `mcp_tool_use`.
    McpToolResult(Box<McpToolResult>) = "mcp_tool_result",
    /// The tools of an MCP server that the API connects to.
    McpToolListing(Box<McpToolListing>) = "mcp_tool_listing",
    /// A file for the API's container.
    ContainerUpload(ContainerUpload) = "container_upload",
    /// The result of a context compaction by the API.
    Compaction(Box<Compaction>) = "compaction",
    /// Another model continues the answer.
    Fallback(Box<Fallback>) = "fallback",
    /// A tool becomes available.
    ToolAddition(Box<ToolAddition>) = "tool_addition",
    /// A tool is removed.
    ToolRemoval(Box<ToolRemoval>) = "tool_removal",
    /// A reference to a tool by name.
    ToolReference(ToolReference) = "tool_reference",
    /// The tabs of a browser.
    BrowserState(Box<BrowserState>) = "browser_state",
}

impl Block {
    /// Returns the text of a `text` block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            _ => None,
        }
    }

    /// Returns the text of a `thinking` block.
    pub fn as_thinking(&self) -> Option<&str> {
        match self {
            Self::Thinking(thinking) => Some(&thinking.thinking),
            _ => None,
        }
    }

    /// Returns the `tool_use` block, if it is one.
    pub fn as_tool_use(&self) -> Option<&ToolUse> {
        match self {
            Self::ToolUse(tool_use) => Some(tool_use),
            _ => None,
        }
    }

    /// Returns the `tool_result` block, if it is one.
    pub fn as_tool_result(&self) -> Option<&ToolResult> {
        match self {
            Self::ToolResult(result) => Some(result),
            _ => None,
        }
    }
}

from_payloads!(Block: Text, ToolUse, ToolResult, Image, Document, SearchResult, ToolReference, ContainerUpload);
