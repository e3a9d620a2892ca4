//! Requests to reload plugins, skills and output styles.

use crate::{
    agent::AgentInfo,
    mcp::McpServerStatus,
    plugin::{PluginConfig, PluginInfo},
    slash_command::SlashCommand,
};

/// Reloads the plugins (`reload_plugins`).
#[wire(Default)]
pub struct ReloadPlugins {
    /// Whether to skip the reload if it would change the session's tools and so invalidate the prompt cache.
    pub hold_on_cache_impact: Option<bool>,
    /// Additional plugins to load, by absolute path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_plugins: Vec<PluginConfig>,
    /// Whether to fail with `reload_plugins_busy` while the session is busy.
    pub refuse_if_busy: Option<bool>,
}

/// The session's components after the reload.
#[wire(Default, tolerant)]
pub struct ReloadPluginsReply {
    /// The slash commands.
    pub commands: Vec<SlashCommand>,
    /// The agents.
    pub agents: Vec<AgentInfo>,
    /// The plugins.
    pub plugins: Vec<PluginInfo>,
    /// The MCP servers.
    #[serde(rename = "mcpServers")]
    pub mcp_servers: Vec<McpServerStatus>,
    /// The number of plugins that failed.
    pub error_count: u64,
    /// Whether the reload was skipped because of the prompt cache; absent if that was not requested.
    pub held: Option<bool>,
    /// The changes that a reload would make; only if it was skipped.
    pub cache_impact: Option<CacheImpact>,
}

/// The changes that a reload would make to the session's tools.
#[wire(Default, Eq, nulls, tolerant)]
pub struct CacheImpact {
    /// MCP servers that would be added, by the plugins' names.
    pub mcp_servers_added: Vec<Box<str>>,
    /// MCP servers that would be removed.
    pub mcp_servers_removed: Vec<Box<str>>,
    /// The change of the language server tool; `null` for none.
    pub lsp_tool_change: Option<LspToolChange>,
}

/// A change of the language server tool (`lsp_tool_change`).
#[wire]
pub enum LspToolChange {
    /// It would be added.
    Adds = "adds",
    /// It might be added.
    MayAdd = "may-add",
    /// It would be removed.
    Removes = "removes",
    /// It might be removed.
    MayRemove = "may-remove",
}

/// Reloads the skills (`reload_skills`).
#[wire(Copy, Default, Eq)]
pub struct ReloadSkills {}

/// The skills after the reload.
#[wire(Default, Eq, tolerant)]
pub struct ReloadSkillsReply {
    /// One entry per skill.
    pub skills: Vec<SlashCommand>,
}

/// Reloads the output styles (`reload_output_styles`). CLI 2.1.197 does not support it.
#[wire(Copy, Default, Eq)]
pub struct ReloadOutputStyles {}

/// The output styles after the reload.
#[wire(Default, Eq, tolerant)]
pub struct ReloadOutputStylesReply {
    /// The names of all output styles.
    pub available_output_styles: Vec<Box<str>>,
}
