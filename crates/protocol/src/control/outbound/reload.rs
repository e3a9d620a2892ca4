//! Reading plugins, skills and output styles again.

use serde::{Deserialize, Serialize};

use super::ControlCall;
use crate::{
    agent::AgentInfo,
    mcp::McpServerStatus,
    open_enum::open_enum,
    plugin::{PluginConfig, PluginInfo},
    slash_command::SlashCommand,
};

/// Reads the plugins again (`reload_plugins`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ReloadPlugins {
    /// Whether to leave things as they are where the session's tools would change and the prompt cache be lost.
    pub hold_on_cache_impact: Option<bool>,
    /// More plugins to load, by absolute path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_plugins: Vec<PluginConfig>,
    /// Whether to refuse it, with `reload_plugins_busy`, while the session works.
    pub refuse_if_busy: Option<bool>,
}

impl ControlCall for ReloadPlugins {
    const SUBTYPE: &'static str = "reload_plugins";
    type Reply = ReloadPluginsReply;
}

/// What the session has after the plugins were read again.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
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
    /// How many plugins failed.
    pub error_count: u64,
    /// Whether nothing was changed because of the prompt cache; absent where that was not asked for.
    pub held: Option<bool>,
    /// What would change; only where it was held.
    pub cache_impact: Option<CacheImpact>,
}

/// What reading the plugins again would change in the session's tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CacheImpact {
    /// MCP servers that would come, in the plugins' words.
    pub mcp_servers_added: Vec<Box<str>>,
    /// MCP servers that would go.
    pub mcp_servers_removed: Vec<Box<str>>,
    /// What would become of the language server tool; `null` for nothing.
    pub lsp_tool_change: Option<LspToolChange>,
}

open_enum! {
    /// What would become of the language server tool (`lsp_tool_change`).
    pub enum LspToolChange {
        /// It would come.
        Adds = "adds",
        /// It might come.
        MayAdd = "may-add",
        /// It would go.
        Removes = "removes",
        /// It might go.
        MayRemove = "may-remove",
    }
}

/// Reads the skills again (`reload_skills`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ReloadSkills {}

impl ControlCall for ReloadSkills {
    const SUBTYPE: &'static str = "reload_skills";
    type Reply = ReloadSkillsReply;
}

/// The skills that there are now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ReloadSkillsReply {
    /// One entry for each.
    #[serde(default)]
    pub skills: Vec<SlashCommand>,
}

/// Reads the output styles again (`reload_output_styles`). CLI 2.1.197 does not know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ReloadOutputStyles {}

impl ControlCall for ReloadOutputStyles {
    const SUBTYPE: &'static str = "reload_output_styles";
    type Reply = ReloadOutputStylesReply;
}

/// The output styles that there are now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ReloadOutputStylesReply {
    /// Their names, the CLI's own and the user's.
    #[serde(default)]
    pub available_output_styles: Vec<Box<str>>,
}
