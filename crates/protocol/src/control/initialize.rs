//! `initialize`: the handshake.

mod hooks;
mod reply;
mod sdk_server;

use std::collections::BTreeMap;

pub use hooks::{HookFailure, HookMatcher};
pub use reply::{AuthConflict, FeedbackMode, InitializeReply};
pub use sdk_server::{ManifestFate, ManifestsOrigin, SdkServerConfig, SdkServerManifest};

use crate::{RawJson, agent::AgentDefinition, mcp::McpServerConfig, plugin::PluginConfig};

/// The handshake (`initialize`): the host's capabilities and the session's options.
///
/// A second handshake replaces the hooks of the first.
/// `Debug` does not show the values of environment variables and headers of MCP servers, which may be keys.
#[wire(Default, camelCase, tolerant)]
pub struct Initialize {
    /// Hook callbacks by event name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hooks: BTreeMap<Box<str>, Vec<HookMatcher>>,
    /// The names of in-process MCP servers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sdk_mcp_servers: Vec<Box<str>>,
    /// Settings of in-process MCP servers, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sdk_mcp_server_configs: BTreeMap<Box<str>, SdkServerConfig>,
    /// Manifests of in-process MCP servers, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sdk_mcp_server_manifests: BTreeMap<Box<str>, SdkServerManifest>,
    /// The origin of the manifests; not needed on stdio.
    pub sdk_mcp_server_manifests_origin: Option<ManifestsOrigin>,
    /// The JSON schema of the answer.
    pub json_schema: Option<RawJson>,
    /// The system prompt as parts; `Some` of one empty part is an empty prompt, `None` is the CLI's own prompt.
    pub system_prompt: Option<Vec<String>>,
    /// Text appended to the CLI's own system prompt.
    pub append_system_prompt: Option<String>,
    /// Whether to store the system prompt with the session and reuse it unchanged; `None` means yes.
    pub system_prompt_snapshot: Option<bool>,
    /// Replaces the CLI's own instructions for plan mode.
    pub plan_mode_instructions: Option<String>,
    /// Aliases of tools: a call of the key is a call of the value.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_aliases: BTreeMap<Box<str>, Box<str>>,
    /// Whether to move user-specific parts from the system prompt to the first message.
    pub exclude_dynamic_sections: Option<bool>,
    /// Subagents that the host defines, by type.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<Box<str>, AgentDefinition>,
    /// The title of the session; `None` to generate one.
    pub title: Option<String>,
    /// The skills to load; `None` for all.
    pub skills: Option<Vec<Box<str>>>,
    /// Whether to suggest a next prompt after each turn (`prompt_suggestion`).
    pub prompt_suggestions: Option<bool>,
    /// Whether to summarise the progress of agents periodically.
    pub agent_progress_summaries: Option<bool>,
    /// Whether to send the text of subagents as messages.
    pub forward_subagent_text: Option<bool>,
    /// The kinds of `request_user_dialog` that the host supports; the CLI does not send others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supported_dialog_kinds: Vec<Box<str>>,
    /// Whether the user can stop each task individually; an interrupt then does not stop background tasks.
    pub per_task_stop_affordance: Option<bool>,
    /// Plugins to load; requires `--await-initialize`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plugins: Vec<PluginConfig>,
    /// MCP servers for the CLI to run, by name; requires `--await-initialize`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp_servers: BTreeMap<Box<str>, McpServerConfig>,
}
