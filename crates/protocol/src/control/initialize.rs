//! `initialize`: the handshake.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use super::ControlCall;
use crate::{PermissionMode, RawJson, open_enum::open_enum};

/// The handshake (`initialize`): what the host brings, and how the session is to be.
///
/// A second one replaces the first one's hooks.
/// `Debug` does not show the MCP servers' configurations, which may hold keys.
#[derive(Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Initialize {
    /// Hook callbacks by event name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hooks: BTreeMap<Box<str>, Vec<HookMatcher>>,
    /// The names of the in-process MCP servers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sdk_mcp_servers: Vec<Box<str>>,
    /// The system prompt, as parts; `Some` of one empty part is an empty prompt, `None` the CLI's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<Vec<String>>,
    /// Text behind the CLI's own system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append_system_prompt: Option<String>,
    /// MCP servers for the CLI to run, by name; honoured with `--await-initialize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_servers: Option<RawJson>,
}

impl fmt::Debug for Initialize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hooks, sdk_mcp_servers, system_prompt, append_system_prompt, mcp_servers } = self;
        f.debug_struct("Initialize")
            .field("hooks", hooks)
            .field("sdk_mcp_servers", sdk_mcp_servers)
            .field("system_prompt", system_prompt)
            .field("append_system_prompt", append_system_prompt)
            .field("mcp_servers", &mcp_servers.as_ref().map(|_| format_args!("<hidden>")))
            .finish()
    }
}

impl ControlCall for Initialize {
    const SUBTYPE: &'static str = "initialize";
    type Reply = InitializeReply;
}

/// Hook callbacks of one event that share a matcher.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookMatcher {
    /// A tool name, several (`A|B`) or a pattern; `None` matches all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<Box<str>>,
    /// The callbacks, by ids of the host's choice.
    pub hook_callback_ids: Vec<Box<str>>,
    /// The limit for each callback, in seconds, applied by the CLI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// What the CLI does when a callback fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<HookFailure>,
}

open_enum! {
    /// What the CLI does when a hook callback fails.
    pub enum HookFailure {
        /// It refuses what the hook guards.
        Block = "block",
        /// It goes ahead.
        Continue = "continue",
    }
}

/// What the CLI says in the handshake.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InitializeReply {
    /// The slash commands.
    #[serde(default)]
    pub commands: Vec<RawJson>,
    /// The agents that can be started.
    #[serde(default)]
    pub agents: Vec<RawJson>,
    /// The models that can be chosen.
    #[serde(default)]
    pub models: Vec<RawJson>,
    /// Who is logged in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<RawJson>,
    /// The style of the answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_style: Option<Box<str>>,
    /// The process id; not declared, seen on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The permission mode in force; not declared, seen on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_permission_mode: Option<PermissionMode>,
    /// What this CLI can do; not declared, seen on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<RawJson>,
}
