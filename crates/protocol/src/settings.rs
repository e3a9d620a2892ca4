//! Settings, in files and control requests: the whole object as text, and typed access to common keys.

mod hooks;
mod permissions;

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub use hooks::*;
pub use permissions::*;

use crate::{DecodeError, Hidden, RawJson, Secrets, effort::EffortLevel, sandbox::SandboxSettings};

/// A settings object with every key.
///
/// `Debug` shows the keys but no values, since environment variables and headers may contain secrets.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct RawSettings(RawJson);

impl RawSettings {
    /// Wraps a settings object.
    pub fn new(object: RawJson) -> Self {
        Self(object)
    }

    /// Serializes typed settings.
    ///
    /// # Errors
    ///
    /// Returns an error if a number can't be represented in JSON.
    pub fn encode(settings: &Settings) -> Result<Self, serde_json::Error> {
        RawJson::encode(settings).map(Self)
    }

    /// Returns the object as JSON text.
    pub fn as_raw(&self) -> &RawJson {
        &self.0
    }

    /// Reads the typed keys.
    ///
    /// # Errors
    ///
    /// Returns an error if a typed key has a value of another type; [`field`](Self::field) still reads the other keys.
    pub fn typed(&self) -> Result<Settings, DecodeError> {
        self.0.decode()
    }

    /// Reads one key; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the settings are not an object, or if the value does not have the shape of `T`.
    pub fn field<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, DecodeError> {
        let mut fields: BTreeMap<Box<str>, RawJson> = self.0.decode()?;
        fields.remove(key).map(|value| value.decode()).transpose()
    }
}

/// An object without keys.
impl Default for RawSettings {
    fn default() -> Self {
        Self(RawJson::empty_object())
    }
}

impl From<RawJson> for RawSettings {
    fn from(object: RawJson) -> Self {
        Self(object)
    }
}

impl fmt::Debug for RawSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields: BTreeMap<Box<str>, Hidden<RawJson>> = self.0.decode().unwrap_or_default();
        f.debug_tuple("RawSettings").field(&fields).finish()
    }
}

/// Common settings keys, to read settings or to write the host's own.
///
/// Every key is optional; a missing one keeps the value of other settings or the CLI's default.
/// Reading and writing drops keys that are not typed here: use [`RawSettings`] to forward settings.
#[wire(Default, camelCase)]
pub struct Settings {
    /// The model, by id or alias (`model`).
    pub model: Option<Box<str>>,
    /// The fallback models, in order (`fallbackModel`).
    pub fallback_model: Option<Vec<Box<str>>>,
    /// The selectable models (`availableModels`).
    pub available_models: Option<Vec<Box<str>>>,
    /// The effort level of the model (`effortLevel`).
    pub effort_level: Option<EffortLevel>,
    /// Whether the model always thinks before it answers (`alwaysThinkingEnabled`).
    pub always_thinking_enabled: Option<bool>,
    /// Whether fast mode is on (`fastMode`).
    pub fast_mode: Option<bool>,
    /// The agent of the main conversation (`agent`).
    pub agent: Option<Box<str>>,
    /// The language of answers (`language`).
    pub language: Option<Box<str>>,
    /// The output style (`outputStyle`).
    pub output_style: Option<Box<str>>,
    /// Environment variables of the session (`env`); `Debug` does not show them.
    pub env: Option<Secrets>,
    /// The permission settings (`permissions`).
    pub permissions: Option<PermissionSettings>,
    /// The sandbox of shell commands (`sandbox`).
    pub sandbox: Option<SandboxSettings>,
    /// Hooks by event (`hooks`).
    pub hooks: Option<BTreeMap<Box<str>, Vec<SettingsHookMatcher>>>,
    /// Whether to disable all hooks of the settings and the status line (`disableAllHooks`).
    pub disable_all_hooks: Option<bool>,
    /// Whether only managed hooks run (`allowManagedHooksOnly`).
    pub allow_managed_hooks_only: Option<bool>,
    /// Whether only managed rules apply (`allowManagedPermissionRulesOnly`).
    pub allow_managed_permission_rules_only: Option<bool>,
    /// Whether all MCP servers of the project's `.mcp.json` are approved (`enableAllProjectMcpServers`).
    pub enable_all_project_mcp_servers: Option<bool>,
    /// The approved servers of `.mcp.json` (`enabledMcpjsonServers`).
    pub enabled_mcpjson_servers: Option<Vec<Box<str>>>,
    /// The rejected servers of `.mcp.json` (`disabledMcpjsonServers`).
    pub disabled_mcpjson_servers: Option<Vec<Box<str>>>,
    /// The allowed MCP servers (`allowedMcpServers`).
    pub allowed_mcp_servers: Option<Vec<McpServerRule>>,
    /// The denied MCP servers; these rules have priority (`deniedMcpServers`).
    pub denied_mcp_servers: Option<Vec<McpServerRule>>,
    /// Whether only managed settings can allow MCP servers (`allowManagedMcpServersOnly`).
    pub allow_managed_mcp_servers_only: Option<bool>,
    /// Plugins by `name@marketplace`: a boolean, a list or an object (`enabledPlugins`).
    pub enabled_plugins: Option<BTreeMap<Box<str>, RawJson>>,
    /// Plugin marketplaces by name (`extraKnownMarketplaces`); `Debug` does not show them, since they may have headers.
    #[shown(self.extra_known_marketplaces.as_ref().map(Hidden))]
    pub extra_known_marketplaces: Option<BTreeMap<Box<str>, RawJson>>,
    /// The status line (`statusLine`).
    pub status_line: Option<StatusLine>,
    /// A program that prints an API key (`apiKeyHelper`).
    pub api_key_helper: Option<String>,
    /// The retention period of sessions in days (`cleanupPeriodDays`).
    pub cleanup_period_days: Option<u64>,
    /// Whether file suggestions respect `.gitignore` (`respectGitignore`).
    pub respect_gitignore: Option<bool>,
    /// Whether commits name the CLI as co-author; older than `attribution` (`includeCoAuthoredBy`).
    pub include_co_authored_by: Option<bool>,
    /// The attribution in commits and pull requests: a boolean or an object (`attribution`).
    pub attribution: Option<RawJson>,
    /// Whether to compact the conversation when it grows too long (`autoCompactEnabled`).
    pub auto_compact_enabled: Option<bool>,
    /// Whether to keep memories (`autoMemoryEnabled`).
    pub auto_memory_enabled: Option<bool>,
    /// Whether to keep file checkpoints for rewinding (`fileCheckpointingEnabled`).
    pub file_checkpointing_enabled: Option<bool>,
}

/// A rule that matches an MCP server by one of three properties.
#[wire(Default, Eq, camelCase)]
pub struct McpServerRule {
    /// The name (`serverName`).
    pub server_name: Option<Box<str>>,
    /// The command with all arguments (`serverCommand`).
    pub server_command: Option<Vec<String>>,
    /// The URL, with `*` as wildcard (`serverUrl`).
    pub server_url: Option<String>,
}

/// A status line, which a command prints.
#[wire(camelCase)]
pub struct StatusLine {
    /// The kind, `command` (`type`).
    #[serde(rename = "type")]
    pub kind: Box<str>,
    /// The command (`command`).
    pub command: String,
    /// The horizontal padding in columns (`padding`).
    pub padding: Option<f64>,
    /// The additional refresh interval in seconds (`refreshInterval`).
    pub refresh_interval: Option<f64>,
    /// Whether to hide the Vim mode indicator below the prompt (`hideVimModeIndicator`).
    pub hide_vim_mode_indicator: Option<bool>,
}

impl StatusLine {
    /// Returns a status line that this command prints.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            kind: "command".into(),
            command: command.into(),
            padding: None,
            refresh_interval: None,
            hide_vim_mode_indicator: None,
        }
    }
}
