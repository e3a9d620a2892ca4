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
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Settings {
    /// The model, by name or alias (`model`).
    pub model: Option<Box<str>>,
    /// The models to fall back to, in order (`fallbackModel`).
    pub fallback_model: Option<Vec<Box<str>>>,
    /// The models that may be chosen (`availableModels`).
    pub available_models: Option<Vec<Box<str>>>,
    /// How hard the model thinks (`effortLevel`).
    pub effort_level: Option<EffortLevel>,
    /// Whether the model always thinks first (`alwaysThinkingEnabled`).
    pub always_thinking_enabled: Option<bool>,
    /// Whether answers come in fast mode (`fastMode`).
    pub fast_mode: Option<bool>,
    /// The agent that the main conversation runs as (`agent`).
    pub agent: Option<Box<str>>,
    /// The language of the answers (`language`).
    pub language: Option<Box<str>>,
    /// The style of the answers (`outputStyle`).
    pub output_style: Option<Box<str>>,
    /// Environment variables of the session (`env`); `Debug` does not show them.
    pub env: Option<Secrets>,
    /// What is permitted (`permissions`).
    pub permissions: Option<PermissionSettings>,
    /// The sandbox that commands run in (`sandbox`).
    pub sandbox: Option<SandboxSettings>,
    /// Hooks by event (`hooks`).
    pub hooks: Option<BTreeMap<Box<str>, Vec<SettingsHookMatcher>>>,
    /// Whether no hook of the settings runs, and no status line (`disableAllHooks`).
    pub disable_all_hooks: Option<bool>,
    /// Whether only managed hooks run (`allowManagedHooksOnly`).
    pub allow_managed_hooks_only: Option<bool>,
    /// Whether only managed rules count (`allowManagedPermissionRulesOnly`).
    pub allow_managed_permission_rules_only: Option<bool>,
    /// Whether all MCP servers of the project's `.mcp.json` are approved (`enableAllProjectMcpServers`).
    pub enable_all_project_mcp_servers: Option<bool>,
    /// The approved ones (`enabledMcpjsonServers`).
    pub enabled_mcpjson_servers: Option<Vec<Box<str>>>,
    /// The refused ones (`disabledMcpjsonServers`).
    pub disabled_mcpjson_servers: Option<Vec<Box<str>>>,
    /// The MCP servers that may be used (`allowedMcpServers`).
    pub allowed_mcp_servers: Option<Vec<McpServerRule>>,
    /// Those that may not, which counts first (`deniedMcpServers`).
    pub denied_mcp_servers: Option<Vec<McpServerRule>>,
    /// Whether only managed settings can allow MCP servers (`allowManagedMcpServersOnly`).
    pub allow_managed_mcp_servers_only: Option<bool>,
    /// Plugins by `name@marketplace`: a boolean, a list or an object (`enabledPlugins`).
    pub enabled_plugins: Option<BTreeMap<Box<str>, RawJson>>,
    /// Marketplaces of plugins by name (`extraKnownMarketplaces`).
    pub extra_known_marketplaces: Option<BTreeMap<Box<str>, RawJson>>,
    /// The status line (`statusLine`).
    pub status_line: Option<StatusLine>,
    /// A program that prints a key for the API (`apiKeyHelper`).
    pub api_key_helper: Option<String>,
    /// For how many days sessions are kept (`cleanupPeriodDays`).
    pub cleanup_period_days: Option<u64>,
    /// Whether file suggestions leave out what `.gitignore` names (`respectGitignore`).
    pub respect_gitignore: Option<bool>,
    /// Whether commits name the CLI as an author; older than `attribution` (`includeCoAuthoredBy`).
    pub include_co_authored_by: Option<bool>,
    /// What commits and pull requests say of the CLI: a boolean or an object (`attribution`).
    pub attribution: Option<RawJson>,
    /// Whether the conversation is compacted when it grows too long (`autoCompactEnabled`).
    pub auto_compact_enabled: Option<bool>,
    /// Whether memories are kept (`autoMemoryEnabled`).
    pub auto_memory_enabled: Option<bool>,
    /// Whether files are kept so that they can be rewound (`fileCheckpointingEnabled`).
    pub file_checkpointing_enabled: Option<bool>,
}

/// An MCP server that may be used or not, by one of three marks.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpServerRule {
    /// By its name (`serverName`).
    pub server_name: Option<Box<str>>,
    /// By its command and all its arguments (`serverCommand`).
    pub server_command: Option<Vec<String>>,
    /// By its address, with `*` for any part (`serverUrl`).
    pub server_url: Option<String>,
}

/// The status line, which a command writes.
#[skip_serializing_none]
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
    pub padding: Option<f64>,
    /// How often it is run besides, in seconds (`refreshInterval`).
    pub refresh_interval: Option<f64>,
    /// Whether the editor's mode is not shown below the prompt (`hideVimModeIndicator`).
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
