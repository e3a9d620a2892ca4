//! `context_usage`: the content of the context window, as `/context` shows it.

pub use crate::control::{ContextCategoryKind, ContextMemoryFile};

/// The content of the context window (`context_usage`), as `/context` shows it.
#[wire(tolerant)]
pub struct ContextUsage {
    /// The model that it was counted for.
    pub model: Box<str>,
    /// An estimate of the tokens in use; may exceed the window.
    pub total_tokens: u64,
    /// The effective window in tokens.
    pub raw_max_tokens: u64,
    /// The usage in percent.
    pub percentage: f64,
    /// The excess over a limit.
    pub over_limit: Option<ContextOverLimit>,
    /// The size of each category.
    pub categories: Vec<ContextCategory>,
    /// The tools of MCP servers.
    pub mcp_tools: Vec<ContextMcpTool>,
    /// The memory files.
    pub memory_files: Vec<ContextMemoryFile>,
    /// The custom agents.
    pub agents: Vec<ContextAgent>,
    /// The skills.
    pub skills: Option<Vec<ContextSkill>>,
}

/// The excess of the window over a limit (`over_limit`).
#[wire]
pub struct ContextOverLimit {
    /// The number of excess tokens.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub tokens_over: u64,
    /// The exceeded limit.
    pub kind: OverLimitKind,
}

/// A limit of the context window.
#[wire]
pub enum OverLimitKind {
    /// The model's limit.
    HardLimit = "hard_limit",
    /// The threshold at which the CLI compacts.
    CompactionWindow = "compaction_window",
}

/// A category of content in the window (an item of `categories`).
#[wire(tolerant)]
pub struct ContextCategory {
    /// The display name.
    pub name: String,
    /// The size in tokens.
    pub tokens: u64,
    /// How the category counts.
    #[required]
    pub kind: ContextCategoryKind,
}

/// A tool of an MCP server in the window.
#[wire(tolerant)]
pub struct ContextMcpTool {
    /// The full name, such as `mcp__srv__add`.
    pub name: Box<str>,
    /// The server.
    pub server_name: Box<str>,
    /// The size in tokens.
    pub tokens: u64,
}

/// An agent in the window.
#[wire(tolerant)]
pub struct ContextAgent {
    /// The agent type.
    pub agent_type: Box<str>,
    /// The source of its definition, such as `projectSettings`.
    pub source: Box<str>,
    /// The size in tokens.
    pub tokens: u64,
}

/// A skill in the window.
#[wire(tolerant)]
pub struct ContextSkill {
    /// The name.
    pub name: Box<str>,
    /// The source of its definition, such as `userSettings` or `built-in`.
    pub source: Box<str>,
    /// The plugin that provides the skill.
    pub plugin_name: Option<Box<str>>,
    /// The size in tokens.
    pub tokens: u64,
}
