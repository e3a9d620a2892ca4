//! `get_context_usage`: the content of the model's context window.

/// Requests the content of the model's context window (`get_context_usage`).
#[wire(Default, Eq)]
pub struct GetContextUsage {
    /// The precision of the counts; `None` for [`ContextDetail::Full`]. CLI 2.1.197 ignores it.
    pub detail: Option<ContextDetail>,
}

/// The precision of the counts (`detail`).
#[wire]
pub enum ContextDetail {
    /// An estimate, without an API request.
    Summary = "summary",
    /// Counts by the API.
    Full = "full",
}

/// The content of the model's context window. Counts are in tokens.
#[wire(Default, camelCase, tolerant)]
pub struct GetContextUsageReply {
    /// The categories of content, including free space.
    pub categories: Vec<ContextCategory>,
    /// The tokens in use.
    pub total_tokens: u64,
    /// The tokens available.
    pub max_tokens: u64,
    /// The size of the model's whole window.
    pub raw_max_tokens: u64,
    /// The source of the compaction threshold, such as `model-default`. Not declared, seen on the wire.
    pub autocompact_source: Option<Box<str>>,
    /// The usage in percent; rounded by the CLI, and declared as any number.
    pub percentage: f64,
    /// A picture of the usage, in rows of squares.
    pub grid_rows: Vec<Vec<ContextSquare>>,
    /// The model.
    pub model: Box<str>,
    /// The instruction files.
    pub memory_files: Vec<ContextMemoryFile>,
    /// The tools of MCP servers.
    pub mcp_tools: Vec<ContextMcpTool>,
    /// The instructions of MCP servers.
    pub mcp_instructions: Option<Vec<ContextMcpInstructions>>,
    /// The CLI's own tools that are loaded on demand.
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
    /// The number of tokens at which the conversation is compacted.
    pub auto_compact_threshold: Option<u64>,
    /// Whether automatic compaction is enabled.
    pub is_auto_compact_enabled: bool,
    /// A breakdown of the messages.
    pub message_breakdown: Option<MessageBreakdown>,
    /// The API's token counts of the last request; `null` before the first.
    #[serialize_always]
    pub api_usage: Option<ApiUsage>,
}

/// A category of content.
#[wire(Eq, camelCase, tolerant)]
pub struct ContextCategory {
    /// The category; absent from CLI 2.1.197.
    pub id: Option<ContextCategoryId>,
    /// The display name.
    pub name: String,
    /// The size in tokens.
    pub tokens: u64,
    /// The name of the colour.
    pub color: Box<str>,
    /// Whether the content is outside of the window until it is needed; absent means no.
    pub is_deferred: Option<bool>,
    /// How the category counts; absent from CLI 2.1.197.
    pub kind: Option<ContextCategoryKind>,
}

/// A category of content (`id`).
#[wire]
pub enum ContextCategoryId {
    /// The system prompt.
    SystemPrompt = "system_prompt",
    /// The CLI's own tools.
    SystemTools = "system_tools",
    /// The tools of MCP servers.
    McpTools = "mcp_tools",
    /// The instructions of MCP servers.
    McpInstructions = "mcp_instructions",
    /// The tools of MCP servers that are loaded on demand.
    McpToolsDeferred = "mcp_tools_deferred",
    /// The CLI's own tools that are loaded on demand.
    SystemToolsDeferred = "system_tools_deferred",
    /// The agents.
    CustomAgents = "custom_agents",
    /// The instruction files.
    MemoryFiles = "memory_files",
    /// The skills.
    Skills = "skills",
    /// The conversation.
    Messages = "messages",
    /// Space reserved for automatic compaction.
    AutocompactBuffer = "autocompact_buffer",
    /// Space reserved for compaction.
    CompactBuffer = "compact_buffer",
    /// Free space.
    FreeSpace = "free_space",
}

/// How a category of content counts (`kind`).
#[wire]
pub enum ContextCategoryKind {
    /// Content in the window.
    Used = "used",
    /// Free space.
    Free = "free",
    /// Reserved space.
    Buffer = "buffer",
    /// Content outside of the window, which is not counted.
    Deferred = "deferred",
}

/// A square of the picture.
#[wire(Default, camelCase, tolerant)]
pub struct ContextSquare {
    /// The name of the colour.
    pub color: Box<str>,
    /// Whether it represents content.
    pub is_filled: bool,
    /// The display name of the category.
    pub category_name: Box<str>,
    /// The size of the category in tokens.
    pub tokens: u64,
    /// The size of the category in percent; rounded by the CLI, and declared as any number.
    pub percentage: f64,
    /// How full the square is, from 0 to 1.
    pub square_fullness: f64,
}

/// An instruction file.
#[wire(Eq)]
pub struct ContextMemoryFile {
    /// The path.
    pub path: String,
    /// The scope, such as `Project`.
    #[serde(rename = "type", default)]
    pub kind: Box<str>,
    /// The size in tokens.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub tokens: u64,
}

/// A tool of an MCP server.
#[wire(Eq, camelCase, tolerant)]
pub struct ContextMcpTool {
    /// The full name, including the server.
    #[required]
    pub name: Box<str>,
    /// The server, as in tool names.
    pub server_name: Box<str>,
    /// The size in tokens.
    pub tokens: u64,
    /// Whether the tool is in the window.
    pub is_loaded: Option<bool>,
}

/// The instructions of an MCP server.
#[wire(Eq, camelCase, tolerant)]
pub struct ContextMcpInstructions {
    /// The server.
    #[required]
    pub server_name: Box<str>,
    /// The size in tokens.
    pub tokens: u64,
}

/// A tool of the CLI, or a section of the system prompt.
#[wire(Eq, camelCase, tolerant)]
pub struct ContextTool {
    /// The name.
    #[required]
    pub name: Box<str>,
    /// The size in tokens.
    pub tokens: u64,
    /// Whether it is in the window; only for tools that are loaded on demand.
    pub is_loaded: Option<bool>,
}

/// An agent.
#[wire(Eq, camelCase, tolerant)]
pub struct ContextAgent {
    /// The agent type.
    #[required]
    pub agent_type: Box<str>,
    /// The source, such as `projectSettings`.
    pub source: Box<str>,
    /// The plugin that provides the agent.
    pub plugin_id: Option<Box<str>>,
    /// The path of its definition.
    pub path: Option<String>,
    /// The size in tokens.
    pub tokens: u64,
}

/// The slash commands.
#[wire(Copy, Default, Eq, camelCase, tolerant)]
pub struct ContextCommands {
    /// The number of commands.
    pub total_commands: u64,
    /// The number of commands in the window.
    pub included_commands: u64,
    /// The size in tokens.
    pub tokens: u64,
}

/// The skills.
#[wire(Default, Eq, camelCase, tolerant)]
pub struct ContextSkills {
    /// The number of skills.
    pub total_skills: u64,
    /// The number of skills in the window.
    pub included_skills: u64,
    /// The size in tokens.
    pub tokens: u64,
    /// One entry per skill.
    pub skill_frontmatter: Vec<ContextSkill>,
}

/// A skill.
#[wire(Eq, camelCase, tolerant)]
pub struct ContextSkill {
    /// The name.
    #[required]
    pub name: Box<str>,
    /// The source, such as `plugin`.
    pub source: Box<str>,
    /// The name of the plugin that provides the skill.
    pub plugin_name: Option<Box<str>>,
    /// The plugin's name with its origin.
    pub plugin_id: Option<Box<str>>,
    /// The path of its definition.
    pub path: Option<String>,
    /// The size in tokens.
    pub tokens: u64,
}

/// A breakdown of the messages, in tokens.
#[wire(Default, Eq, camelCase, tolerant)]
pub struct MessageBreakdown {
    /// Tool calls.
    pub tool_call_tokens: u64,
    /// Tool results.
    pub tool_result_tokens: u64,
    /// Attachments of the CLI.
    pub attachment_tokens: u64,
    /// Text of the model.
    pub assistant_message_tokens: u64,
    /// Text of the user.
    pub user_message_tokens: u64,
    /// Content redirected from elsewhere.
    pub redirected_context_tokens: u64,
    /// The rest.
    pub unattributed_tokens: u64,
    /// Tool calls by tool.
    pub tool_calls_by_type: Vec<ToolCallTokens>,
    /// Attachments by kind.
    pub attachments_by_type: Vec<AttachmentTokens>,
}

/// The calls of one tool.
#[wire(Default, Eq, camelCase, tolerant)]
pub struct ToolCallTokens {
    /// The tool.
    pub name: Box<str>,
    /// The tokens of its calls.
    pub call_tokens: u64,
    /// The tokens of its results.
    pub result_tokens: u64,
}

/// The attachments of one kind.
#[wire(Default, Eq, tolerant)]
pub struct AttachmentTokens {
    /// The kind.
    pub name: Box<str>,
    /// The size in tokens.
    pub tokens: u64,
}

/// The API's token counts of a request.
#[wire(Copy, Default, Eq, tolerant)]
pub struct ApiUsage {
    /// Input tokens that were not cached.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Input tokens read from the cache.
    pub cache_read_input_tokens: u64,
}
