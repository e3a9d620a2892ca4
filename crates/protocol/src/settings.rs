//! Settings, as files hold them and control requests carry them: whole as text, and the commonly read keys typed.

mod hooks;
mod permissions;

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub use hooks::{
    AgentHook, CommandHook, HookShell, HttpHook, McpToolHook, PromptHook, SettingsHook, SettingsHookMatcher,
};
pub use permissions::{DisabledMark, PermissionSettings};

use crate::{DecodeError, Hidden, RawJson, Secrets, effort::EffortLevel, sandbox::SandboxSettings};

/// Settings as they came, with every key.
///
/// `Debug` names the keys and shows no values, since the environment and headers may hold secrets.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct RawSettings(RawJson);

impl RawSettings {
    /// Takes an object as it is.
    pub fn new(object: RawJson) -> Self {
        Self(object)
    }

    /// Writes typed settings.
    ///
    /// # Errors
    ///
    /// When a number of them is none that JSON has.
    pub fn encode(settings: &Settings) -> Result<Self, serde_json::Error> {
        RawJson::encode(settings).map(Self)
    }

    /// The object's text.
    pub fn as_raw(&self) -> &RawJson {
        &self.0
    }

    /// The typed keys.
    ///
    /// # Errors
    ///
    /// When a typed key has a value of another type; [`field`](Self::field) reads the others all the same.
    pub fn typed(&self) -> Result<Settings, DecodeError> {
        self.0.decode()
    }

    /// Reads one key, as a type of the caller's; `None` where there is no such key.
    ///
    /// # Errors
    ///
    /// When the settings are no object, or the key's value does not have that shape.
    pub fn field<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, DecodeError> {
        let mut fields: BTreeMap<Box<str>, RawJson> = self.0.decode()?;
        fields.remove(key).map(|value| value.decode()).transpose()
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

/// The commonly read keys of settings, to be read from them or written as settings of the host's own.
///
/// Every key is optional, and a missing one leaves it to other settings or the CLI.
/// What is not typed here is lost by reading and writing again: use [`RawSettings`] to pass settings on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Settings {
    /// The model, by name or alias (`model`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Box<str>>,
    /// The models to fall back to, in order (`fallbackModel`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_model: Option<Vec<Box<str>>>,
    /// The models that may be chosen (`availableModels`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available_models: Option<Vec<Box<str>>>,
    /// How hard the model thinks (`effortLevel`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort_level: Option<EffortLevel>,
    /// Whether the model always thinks first (`alwaysThinkingEnabled`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub always_thinking_enabled: Option<bool>,
    /// Whether answers come in fast mode (`fastMode`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_mode: Option<bool>,
    /// The agent that the main conversation runs as (`agent`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Box<str>>,
    /// The language of the answers (`language`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Box<str>>,
    /// The style of the answers (`outputStyle`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_style: Option<Box<str>>,
    /// Environment variables of the session (`env`); `Debug` does not show them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<Secrets>,
    /// What is permitted (`permissions`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<PermissionSettings>,
    /// The sandbox that commands run in (`sandbox`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxSettings>,
    /// Hooks by event (`hooks`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<BTreeMap<Box<str>, Vec<SettingsHookMatcher>>>,
    /// Whether no hook of the settings runs, and no status line (`disableAllHooks`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_all_hooks: Option<bool>,
    /// Whether only managed hooks run (`allowManagedHooksOnly`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_managed_hooks_only: Option<bool>,
    /// Whether only managed rules count (`allowManagedPermissionRulesOnly`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_managed_permission_rules_only: Option<bool>,
    /// Whether all MCP servers of the project's `.mcp.json` are approved (`enableAllProjectMcpServers`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_all_project_mcp_servers: Option<bool>,
    /// The approved ones (`enabledMcpjsonServers`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled_mcpjson_servers: Option<Vec<Box<str>>>,
    /// The refused ones (`disabledMcpjsonServers`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_mcpjson_servers: Option<Vec<Box<str>>>,
    /// The MCP servers that may be used (`allowedMcpServers`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_mcp_servers: Option<Vec<McpServerRule>>,
    /// Those that may not, which counts first (`deniedMcpServers`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied_mcp_servers: Option<Vec<McpServerRule>>,
    /// Whether only managed settings can allow MCP servers (`allowManagedMcpServersOnly`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_managed_mcp_servers_only: Option<bool>,
    /// Plugins by `name@marketplace`: a boolean, a list or an object (`enabledPlugins`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled_plugins: Option<BTreeMap<Box<str>, RawJson>>,
    /// Marketplaces of plugins by name (`extraKnownMarketplaces`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_known_marketplaces: Option<BTreeMap<Box<str>, RawJson>>,
    /// The status line (`statusLine`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_line: Option<StatusLine>,
    /// A program that prints a key for the API (`apiKeyHelper`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_helper: Option<String>,
    /// For how many days sessions are kept (`cleanupPeriodDays`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleanup_period_days: Option<u64>,
    /// Whether file suggestions leave out what `.gitignore` names (`respectGitignore`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub respect_gitignore: Option<bool>,
    /// Whether commits name the CLI as an author; older than `attribution` (`includeCoAuthoredBy`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_co_authored_by: Option<bool>,
    /// What commits and pull requests say of the CLI: a boolean or an object (`attribution`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<RawJson>,
    /// Whether the conversation is compacted when it grows too long (`autoCompactEnabled`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_compact_enabled: Option<bool>,
    /// Whether memories are kept (`autoMemoryEnabled`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_memory_enabled: Option<bool>,
    /// Whether files are kept so that they can be rewound (`fileCheckpointingEnabled`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_checkpointing_enabled: Option<bool>,
}

/// An MCP server that may be used or not, by one of three marks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpServerRule {
    /// By its name (`serverName`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_name: Option<Box<str>>,
    /// By its command and all its arguments (`serverCommand`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_command: Option<Vec<String>>,
    /// By its address, with `*` for any part (`serverUrl`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_url: Option<String>,
}

/// The status line, which a command writes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StatusLine {
    /// The kind, `command` (`type`).
    #[serde(rename = "type")]
    pub kind: Box<str>,
    /// The command (`command`).
    pub command: String,
    /// The room at its sides, in columns (`padding`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub padding: Option<f64>,
    /// How often it is run besides, in seconds (`refreshInterval`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_interval: Option<f64>,
    /// Whether the editor's mode is not shown below the prompt (`hideVimModeIndicator`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_vim_mode_indicator: Option<bool>,
}

impl StatusLine {
    /// This command writes it.
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
