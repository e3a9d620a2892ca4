//! What fills the context window, as `/context` tells it.

use serde::{Deserialize, Serialize};

pub use crate::control::{ContextCategoryKind, ContextMemoryFile};
use crate::open_enum::open_enum;

/// What fills the context window (`context_usage`), as `/context` tells it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ContextUsage {
    /// The model that it was counted for.
    #[serde(default)]
    pub model: Box<str>,
    /// Tokens in use, as an estimate; may be more than there is room for.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub total_tokens: u64,
    /// The window that counts, in tokens.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub raw_max_tokens: u64,
    /// How full it is, in percent.
    #[serde(default, deserialize_with = "crate::lenient::amount")]
    pub percentage: f64,
    /// By how much it is too full.
    pub over_limit: Option<ContextOverLimit>,
    /// What takes how much.
    #[serde(default)]
    pub categories: Vec<ContextCategory>,
    /// The tools of MCP servers.
    #[serde(default)]
    pub mcp_tools: Vec<ContextMcpTool>,
    /// The memory files.
    #[serde(default)]
    pub memory_files: Vec<ContextMemoryFile>,
    /// The agents that are not built in.
    #[serde(default)]
    pub agents: Vec<ContextAgent>,
    /// The skills.
    pub skills: Option<Vec<ContextSkill>>,
}

/// By how much the window is too full (`over_limit`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ContextOverLimit {
    /// Tokens too many.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub tokens_over: u64,
    /// Which limit it is.
    pub kind: OverLimitKind,
}

open_enum! {
    /// Which limit of the window was passed.
    pub enum OverLimitKind {
        /// The model's own.
        HardLimit = "hard_limit",
        /// That from which on the CLI compacts.
        CompactionWindow = "compaction_window",
    }
}

/// What takes room in the window (an item of `categories`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ContextCategory {
    /// Its name for a reader.
    #[serde(default)]
    pub name: String,
    /// Its tokens.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub tokens: u64,
    /// What it is.
    pub kind: ContextCategoryKind,
}

/// A tool of an MCP server in the window.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ContextMcpTool {
    /// Its name, such as `mcp__srv__add`.
    #[serde(default)]
    pub name: Box<str>,
    /// The server.
    #[serde(default)]
    pub server_name: Box<str>,
    /// Its tokens.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub tokens: u64,
}

/// An agent in the window.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ContextAgent {
    /// Its name.
    #[serde(default)]
    pub agent_type: Box<str>,
    /// Where it is defined, such as `projectSettings`.
    #[serde(default)]
    pub source: Box<str>,
    /// Its tokens.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub tokens: u64,
}

/// A skill in the window.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ContextSkill {
    /// Its name.
    #[serde(default)]
    pub name: Box<str>,
    /// Where it is defined, such as `userSettings` or `built-in`.
    #[serde(default)]
    pub source: Box<str>,
    /// The plugin that brings it.
    pub plugin_name: Option<Box<str>>,
    /// Its tokens.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub tokens: u64,
}
