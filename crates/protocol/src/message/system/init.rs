//! `system/init`: a turn starts.

mod plugin;

pub use plugin::{InitPlugin, ManagedLock, PluginError};

use serde::{Deserialize, Serialize};

use crate::{
    Nullable, PermissionMode, RawJson, SessionId, Uuid,
    effort::{EffortLevel, FastModeDisabledReason, FastModeState},
    mcp::{McpSource, McpStatusKind},
    open_enum::open_enum,
};

/// A turn starts (`system/init`): what the session can do.
///
/// It comes after the first prompt and once for each turn, never after `initialize` alone.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Init {
    /// The session.
    #[serde(default = "crate::lenient::empty")]
    pub session_id: SessionId,
    /// The working directory.
    #[serde(default)]
    pub cwd: String,
    /// The model in use.
    #[serde(default)]
    pub model: Box<str>,
    /// The names of the tools that the model may use.
    #[serde(default)]
    pub tools: Vec<Box<str>>,
    /// The MCP servers and how they stand.
    #[serde(default)]
    pub mcp_servers: Vec<InitMcpServer>,
    /// How tool uses are permitted.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// The commands that a prompt may start with.
    #[serde(default)]
    pub slash_commands: Vec<Box<str>>,
    /// Those of them that make sense in a terminal alone.
    pub terminal_slash_commands: Option<Vec<Box<str>>>,
    /// Where the API key came from.
    #[serde(rename = "apiKeySource")]
    pub api_key_source: Option<ApiKeySource>,
    /// The API's trial features that are in use.
    pub betas: Option<Vec<Box<str>>>,
    /// The CLI's version.
    pub claude_code_version: Option<Box<str>>,
    /// How answers are styled.
    pub output_style: Option<Box<str>>,
    /// The agents that can be started.
    #[serde(default)]
    pub agents: Vec<Box<str>>,
    /// The skills that can be used.
    #[serde(default)]
    pub skills: Vec<Box<str>>,
    /// The plugins that were loaded.
    #[serde(default)]
    pub plugins: Vec<InitPlugin>,
    /// What went wrong with plugins; absent where nothing did.
    pub plugin_errors: Option<Vec<PluginError>>,
    /// Whether answers come faster, at a higher price.
    pub fast_mode_state: Option<FastModeState>,
    /// Why they can't.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// How much the model shall think before the next answer; `null` where it is not told.
    /// Sent by hosts with remote control.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub effort: Nullable<EffortLevel>,
    /// How much of a turn a reader wants to see.
    pub view_mode: Option<ViewMode>,
    /// What this CLI can do, by names such as `interrupt_receipt_v1`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<Box<str>>,
    /// The directory in which the session began.
    /// Not declared, seen on the wire.
    pub original_cwd: Option<String>,
    /// Further directories that tools may work in.
    /// Not declared, seen on the wire.
    pub additional_directories: Option<Vec<String>>,
    /// Where the model keeps notes for itself.
    /// Not declared, seen on the wire.
    pub memory_paths: Option<MemoryPaths>,
    /// The socket on which other sessions of the machine reach this one.
    /// Not declared, seen on the wire.
    pub messaging_socket_path: Option<String>,
    /// Whether the CLI sends no usage data.
    /// Not declared, seen on the wire.
    pub analytics_disabled: Option<bool>,
    /// Whether the CLI asks for no feedback.
    /// Not declared, seen on the wire.
    pub product_feedback_disabled: Option<bool>,
    /// Whether the model is served by its maker's own API.
    /// Not declared, seen on the wire.
    pub served_by_anthropic: Option<bool>,
    /// Whether each turn may have its own effort.
    /// Not declared, seen on the wire.
    pub per_turn_effort_active: Option<bool>,
    /// Whether a word in the prompt can raise the effort.
    /// Not declared, seen on the wire.
    pub ultrathink_available: Option<bool>,
    /// Whether that word does so where it is typed.
    /// Not declared, seen on the wire.
    pub ultrathink_typed_raises: Option<bool>,
    /// The prompts that the turn answers, by the ids that the host gave them.
    /// Not declared, seen on the wire.
    pub user_message_uuids: Option<Vec<Uuid>>,
    /// How long the parts of the start took, for the CLI's makers; only with `CLAUDE_CODE_REMOTE`.
    /// Not declared, seen on the wire.
    pub startup_timing: Option<RawJson>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// An MCP server as a starting turn sees it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InitMcpServer {
    /// The name under which it is configured.
    pub name: Box<str>,
    /// How it stands.
    pub status: McpStatusKind,
    /// Where it was configured; absent from a CLI before 2.1.330.
    pub source: Option<McpSource>,
}

/// Where the model keeps notes for itself (`memory_paths`).
///
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MemoryPaths {
    /// The folder of the notes that it makes unasked.
    pub auto: Option<String>,
}

open_enum! {
    /// Where the API key came from.
    pub enum ApiKeySource {
        /// The environment variable of that name.
        Environment = "ANTHROPIC_API_KEY",
        /// A program of the settings.
        Helper = "apiKeyHelper",
        /// A key that a login made.
        ManagedKey = "/login managed key",
        /// No key is in use, but a login, a token or a cloud provider.
        NoKey = "none",
        /// The user's settings; current CLIs don't send it.
        User = "user",
        /// The project's settings; current CLIs don't send it.
        Project = "project",
        /// The organisation; current CLIs don't send it.
        Org = "org",
        /// A key for this run; current CLIs don't send it.
        Temporary = "temporary",
        /// A login; current CLIs don't send it.
        Oauth = "oauth",
    }
}

open_enum! {
    /// How much of a turn a reader wants to see.
    pub enum ViewMode {
        /// All of it.
        Default = "default",
        /// The prompt and the last answer.
        Focus = "focus",
    }
}
