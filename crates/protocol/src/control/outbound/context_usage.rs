//! `get_context_usage`: what fills the model's context window.

use serde::{Deserialize, Serialize};

use super::ControlCall;
use crate::open_enum::open_enum;

/// What fills the model's context window (`get_context_usage`)?
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetContextUsage {
    /// How exactly to count; `None` for [`ContextDetail::Full`]. CLI 2.1.197 does not look at it.
    pub detail: Option<ContextDetail>,
}

impl ControlCall for GetContextUsage {
    const SUBTYPE: &'static str = "get_context_usage";
    type Reply = GetContextUsageReply;
}

open_enum! {
    /// How exactly to count (`detail`).
    pub enum ContextDetail {
        /// By estimate, without asking the API.
        Summary = "summary",
        /// By the API.
        Full = "full",
    }
}

/// What fills the model's context window. Counts are in tokens.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct GetContextUsageReply {
    /// One entry for each kind of content, and for what is free.
    pub categories: Vec<ContextCategory>,
    /// What is used.
    pub total_tokens: u64,
    /// What can be used.
    pub max_tokens: u64,
    /// The model's whole window.
    pub raw_max_tokens: u64,
    /// What decides when the conversation is compacted, such as `model-default`. Not declared, seen on the wire.
    pub autocompact_source: Option<Box<str>>,
    /// How much is used, in percent; rounded by the CLI, and declared as any number.
    pub percentage: f64,
    /// A picture of it, in rows of squares.
    pub grid_rows: Vec<Vec<ContextSquare>>,
    /// The model.
    pub model: Box<str>,
    /// The instruction files.
    pub memory_files: Vec<ContextMemoryFile>,
    /// The tools of MCP servers.
    pub mcp_tools: Vec<ContextMcpTool>,
    /// The instructions of MCP servers.
    pub mcp_instructions: Option<Vec<ContextMcpInstructions>>,
    /// The CLI's own tools that are loaded when needed.
    pub deferred_builtin_tools: Option<Vec<ContextTool>>,
    /// The CLI's own tools.
    pub system_tools: Option<Vec<ContextTool>>,
    /// The parts of the system prompt.
    pub system_prompt_sections: Option<Vec<ContextTool>>,
    /// The agents.
    pub agents: Vec<ContextAgent>,
    /// The slash commands.
    pub slash_commands: Option<ContextCommands>,
    /// The skills.
    pub skills: Option<ContextSkills>,
    /// From how many tokens on the conversation is compacted.
    pub auto_compact_threshold: Option<u64>,
    /// Whether it is compacted by itself.
    pub is_auto_compact_enabled: bool,
    /// What the messages are made of.
    pub message_breakdown: Option<MessageBreakdown>,
    /// What the API counted for the last request; `null` before the first.
    #[serialize_always]
    pub api_usage: Option<ApiUsage>,
}

/// A kind of content.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextCategory {
    /// Which it is; absent from CLI 2.1.197.
    pub id: Option<ContextCategoryId>,
    /// Its name for people.
    #[serde(default)]
    pub name: String,
    /// Its size.
    #[serde(default)]
    pub tokens: u64,
    /// The name of its colour.
    #[serde(default)]
    pub color: Box<str>,
    /// Whether it is outside of the window until it is needed; absent where it is not.
    pub is_deferred: Option<bool>,
    /// How it counts; absent from CLI 2.1.197.
    pub kind: Option<ContextCategoryKind>,
}

open_enum! {
    /// Which kind of content it is (`id`).
    pub enum ContextCategoryId {
        /// The system prompt.
        SystemPrompt = "system_prompt",
        /// The CLI's own tools.
        SystemTools = "system_tools",
        /// The tools of MCP servers.
        McpTools = "mcp_tools",
        /// The instructions of MCP servers.
        McpInstructions = "mcp_instructions",
        /// The tools of MCP servers that are loaded when needed.
        McpToolsDeferred = "mcp_tools_deferred",
        /// The CLI's own tools that are loaded when needed.
        SystemToolsDeferred = "system_tools_deferred",
        /// The agents.
        CustomAgents = "custom_agents",
        /// The instruction files.
        MemoryFiles = "memory_files",
        /// The skills.
        Skills = "skills",
        /// The conversation.
        Messages = "messages",
        /// What is kept free so that the conversation can be compacted by itself.
        AutocompactBuffer = "autocompact_buffer",
        /// What is kept free so that the conversation can be compacted.
        CompactBuffer = "compact_buffer",
        /// What is free.
        FreeSpace = "free_space",
    }
}

open_enum! {
    /// How a kind of content counts (`kind`).
    pub enum ContextCategoryKind {
        /// It is in the window.
        Used = "used",
        /// It is what is left.
        Free = "free",
        /// It is kept free.
        Buffer = "buffer",
        /// It is outside of the window.
        Deferred = "deferred",
    }
}

/// A square of the picture.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ContextSquare {
    /// The name of its colour.
    pub color: Box<str>,
    /// Whether it stands for content.
    pub is_filled: bool,
    /// The kind of content, by its name for people.
    pub category_name: Box<str>,
    /// The size of that kind.
    pub tokens: u64,
    /// The same, in percent; rounded by the CLI, and declared as any number.
    pub percentage: f64,
    /// How full the square is, from 0 to 1.
    pub square_fullness: f64,
}

/// An instruction file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ContextMemoryFile {
    /// Its path.
    pub path: String,
    /// Whose it is, such as `Project`.
    #[serde(rename = "type", default)]
    pub kind: Box<str>,
    /// Its size.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub tokens: u64,
}

/// A tool of an MCP server.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextMcpTool {
    /// Its name with its server.
    pub name: Box<str>,
    /// The server, by its name in tool names.
    #[serde(default)]
    pub server_name: Box<str>,
    /// Its size.
    #[serde(default)]
    pub tokens: u64,
    /// Whether it is in the window.
    pub is_loaded: Option<bool>,
}

/// The instructions of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextMcpInstructions {
    /// The server.
    pub server_name: Box<str>,
    /// Their size.
    #[serde(default)]
    pub tokens: u64,
}

/// A tool of the CLI's own, or a part of the system prompt.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextTool {
    /// Its name.
    pub name: Box<str>,
    /// Its size.
    #[serde(default)]
    pub tokens: u64,
    /// Whether it is in the window; of tools that are loaded when needed.
    pub is_loaded: Option<bool>,
}

/// An agent.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextAgent {
    /// Its type.
    pub agent_type: Box<str>,
    /// Where it comes from, such as `projectSettings`.
    #[serde(default)]
    pub source: Box<str>,
    /// The plugin that brings it.
    pub plugin_id: Option<Box<str>>,
    /// Its file.
    pub path: Option<String>,
    /// Its size.
    #[serde(default)]
    pub tokens: u64,
}

/// The slash commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ContextCommands {
    /// How many there are.
    pub total_commands: u64,
    /// How many are in the window.
    pub included_commands: u64,
    /// Their size.
    pub tokens: u64,
}

/// The skills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ContextSkills {
    /// How many there are.
    pub total_skills: u64,
    /// How many are in the window.
    pub included_skills: u64,
    /// Their size.
    pub tokens: u64,
    /// One entry for each.
    pub skill_frontmatter: Vec<ContextSkill>,
}

/// A skill.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextSkill {
    /// Its name.
    pub name: Box<str>,
    /// Where it comes from, such as `plugin`.
    #[serde(default)]
    pub source: Box<str>,
    /// The name of the plugin that brings it.
    pub plugin_name: Option<Box<str>>,
    /// The same with where the plugin came from.
    pub plugin_id: Option<Box<str>>,
    /// Its file.
    pub path: Option<String>,
    /// Its size.
    #[serde(default)]
    pub tokens: u64,
}

/// What the messages are made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct MessageBreakdown {
    /// Tool uses.
    pub tool_call_tokens: u64,
    /// Their results.
    pub tool_result_tokens: u64,
    /// What the CLI attached.
    pub attachment_tokens: u64,
    /// The model's own words.
    pub assistant_message_tokens: u64,
    /// The user's words.
    pub user_message_tokens: u64,
    /// What was brought in from elsewhere.
    pub redirected_context_tokens: u64,
    /// The rest.
    pub unattributed_tokens: u64,
    /// Tool uses by tool.
    pub tool_calls_by_type: Vec<ToolCallTokens>,
    /// What was attached, by kind.
    pub attachments_by_type: Vec<AttachmentTokens>,
}

/// The tool uses of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ToolCallTokens {
    /// The tool.
    pub name: Box<str>,
    /// Its uses.
    pub call_tokens: u64,
    /// Their results.
    pub result_tokens: u64,
}

/// What was attached of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AttachmentTokens {
    /// The kind.
    pub name: Box<str>,
    /// Its size.
    pub tokens: u64,
}

/// What the API counted for a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ApiUsage {
    /// Tokens read that no cache held.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Tokens written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: u64,
}
