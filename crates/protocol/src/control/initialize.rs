//! `initialize`: the handshake.

mod hooks;
mod reply;
mod sdk_server;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use hooks::{HookFailure, HookMatcher};
pub use reply::{AuthConflict, FeedbackMode, HandshakeState, InitializeReply};
pub use sdk_server::{ManifestFate, ManifestsOrigin, SdkServerConfig, SdkServerManifest};

use super::ControlCall;
use crate::{RawJson, agent::AgentDefinition, mcp::McpServerConfig, plugin::PluginConfig};

/// The handshake (`initialize`): what the host brings, and how the session is to be.
///
/// A second one replaces the first one's hooks.
/// `Debug` does not show the values of environment variables and headers of MCP servers, which may be keys.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Initialize {
    /// Hook callbacks by event name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hooks: BTreeMap<Box<str>, Vec<HookMatcher>>,
    /// The names of the in-process MCP servers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sdk_mcp_servers: Vec<Box<str>>,
    /// Settings of in-process MCP servers, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sdk_mcp_server_configs: BTreeMap<Box<str>, SdkServerConfig>,
    /// What in-process MCP servers answer when they are connected, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sdk_mcp_server_manifests: BTreeMap<Box<str>, SdkServerManifest>,
    /// How the host came by those answers; not needed on stdio.
    pub sdk_mcp_server_manifests_origin: Option<ManifestsOrigin>,
    /// The JSON schema that the answer must have.
    pub json_schema: Option<RawJson>,
    /// The system prompt, as parts; `Some` of one empty part is an empty prompt, `None` the CLI's own.
    pub system_prompt: Option<Vec<String>>,
    /// Text behind the CLI's own system prompt.
    pub append_system_prompt: Option<String>,
    /// Whether the system prompt is kept with the session and used again as it was; `None` for yes.
    pub system_prompt_snapshot: Option<bool>,
    /// How to work in plan mode, in the place of the CLI's own words.
    pub plan_mode_instructions: Option<String>,
    /// Other names for tools: a tool use of the first name is one of the second.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_aliases: BTreeMap<Box<str>, Box<str>>,
    /// Whether what differs by user goes into the first message rather than into the system prompt.
    pub exclude_dynamic_sections: Option<bool>,
    /// Subagents of the host's own, by type.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<Box<str>, AgentDefinition>,
    /// The session's title; `None` to have one made up.
    pub title: Option<String>,
    /// The skills to load; `None` for all.
    pub skills: Option<Vec<Box<str>>>,
    /// Whether a next prompt is suggested after each turn (`prompt_suggestion`).
    pub prompt_suggestions: Option<bool>,
    /// Whether the progress of agents is summed up now and then.
    pub agent_progress_summaries: Option<bool>,
    /// Whether the text of subagents comes as messages.
    pub forward_subagent_text: Option<bool>,
    /// The kinds of `request_user_dialog` that the host can show; others are not asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supported_dialog_kinds: Vec<Box<str>>,
    /// Whether the user can stop each task by itself; an interrupt then leaves tasks in the background alone.
    pub per_task_stop_affordance: Option<bool>,
    /// Plugins to load; honoured with `--await-initialize`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plugins: Vec<PluginConfig>,
    /// MCP servers for the CLI to run, by name; honoured with `--await-initialize`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp_servers: BTreeMap<Box<str>, McpServerConfig>,
}

impl ControlCall for Initialize {
    const SUBTYPE: &'static str = "initialize";
    type Reply = InitializeReply;
}
