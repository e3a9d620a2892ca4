//! A content block, by its `type`.

use super::{
    AdvisorToolResult, BashCodeExecutionToolResult, BrowserState, CodeExecutionToolResult, Compaction,
    ContainerUpload, Document, Fallback, Image, McpToolListing, McpToolResult, McpToolUse, RedactedThinking,
    SearchResult, ServerToolUse, Text, TextEditorToolResult, Thinking, ToolAddition, ToolReference,
    ToolRemoval, ToolResult, ToolSearchToolResult, ToolUse, WebFetchToolResult, WebSearchToolResult,
};
use crate::tagged::tagged;

tagged! {
    /// A content block: of an answer, of a prompt, or of a tool's result.
    pub enum Block by "type" {
        /// Text.
        Text(Text) = "text",
        /// The model's thinking.
        Thinking(Thinking) = "thinking",
        /// Thinking that is shown to nobody.
        RedactedThinking(RedactedThinking) = "redacted_thinking",
        /// The model wants to use a tool.
        ToolUse(Box<ToolUse>) = "tool_use",
        /// What a tool gave.
        ToolResult(Box<ToolResult>) = "tool_result",
        /// A picture.
        Image(Box<Image>) = "image",
        /// A PDF or a text.
        Document(Box<Document>) = "document",
        /// Something that a search of the host's found.
        SearchResult(Box<SearchResult>) = "search_result",
        /// The model uses a tool that the API runs itself.
        ServerToolUse(Box<ServerToolUse>) = "server_tool_use",
        /// What a web search found.
        WebSearchToolResult(Box<WebSearchToolResult>) = "web_search_tool_result",
        /// What was fetched from the web.
        WebFetchToolResult(Box<WebFetchToolResult>) = "web_fetch_tool_result",
        /// What another model advised.
        AdvisorToolResult(Box<AdvisorToolResult>) = "advisor_tool_result",
        /// What came of code.
        CodeExecutionToolResult(Box<CodeExecutionToolResult>) = "code_execution_tool_result",
        /// What came of a command.
        BashCodeExecutionToolResult(Box<BashCodeExecutionToolResult>) = "bash_code_execution_tool_result",
        /// What came of reading or editing a file.
        TextEditorToolResult(Box<TextEditorToolResult>) = "text_editor_code_execution_tool_result",
        /// What a search among the tools found.
        ToolSearchToolResult(Box<ToolSearchToolResult>) = "tool_search_tool_result",
        /// The model uses a tool of an MCP server that the API talks to.
        McpToolUse(Box<McpToolUse>) = "mcp_tool_use",
        /// What such a tool gave.
        McpToolResult(Box<McpToolResult>) = "mcp_tool_result",
        /// The tools that such a server has.
        McpToolListing(Box<McpToolListing>) = "mcp_tool_listing",
        /// A file for the API's container.
        ContainerUpload(ContainerUpload) = "container_upload",
        /// What became of a context that had grown too long.
        Compaction(Box<Compaction>) = "compaction",
        /// Another model goes on.
        Fallback(Box<Fallback>) = "fallback",
        /// A tool is there from here on.
        ToolAddition(Box<ToolAddition>) = "tool_addition",
        /// A tool is gone from here on.
        ToolRemoval(Box<ToolRemoval>) = "tool_removal",
        /// A tool by its name.
        ToolReference(ToolReference) = "tool_reference",
        /// A browser's tabs.
        BrowserState(Box<BrowserState>) = "browser_state",
    }
}

impl Block {
    /// The words of a `text` block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            _ => None,
        }
    }

    /// The words of a `thinking` block.
    pub fn as_thinking(&self) -> Option<&str> {
        match self {
            Self::Thinking(thinking) => Some(&thinking.thinking),
            _ => None,
        }
    }

    /// The `tool_use` block that this is.
    pub fn as_tool_use(&self) -> Option<&ToolUse> {
        match self {
            Self::ToolUse(tool_use) => Some(tool_use),
            _ => None,
        }
    }

    /// The `tool_result` block that this is.
    pub fn as_tool_result(&self) -> Option<&ToolResult> {
        match self {
            Self::ToolResult(result) => Some(result),
            _ => None,
        }
    }
}

impl From<Text> for Block {
    fn from(block: Text) -> Self {
        Self::Text(block)
    }
}

impl From<ToolUse> for Block {
    fn from(block: ToolUse) -> Self {
        Self::ToolUse(Box::new(block))
    }
}

impl From<ToolResult> for Block {
    fn from(block: ToolResult) -> Self {
        Self::ToolResult(Box::new(block))
    }
}

impl From<Image> for Block {
    fn from(block: Image) -> Self {
        Self::Image(Box::new(block))
    }
}

impl From<Document> for Block {
    fn from(block: Document) -> Self {
        Self::Document(Box::new(block))
    }
}

impl From<SearchResult> for Block {
    fn from(block: SearchResult) -> Self {
        Self::SearchResult(Box::new(block))
    }
}

impl From<ToolReference> for Block {
    fn from(block: ToolReference) -> Self {
        Self::ToolReference(block)
    }
}

impl From<ContainerUpload> for Block {
    fn from(block: ContainerUpload) -> Self {
        Self::ContainerUpload(block)
    }
}
