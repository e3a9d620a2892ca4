//! `system/init`: the start of a turn.

mod plugin;

pub use plugin::{InitPlugin, ManagedLock, PluginError};

use crate::{
    Name, Nullable, PermissionMode, RawJson, SessionId, ToolName, Uuid,
    effort::{EffortLevel, FastModeDisabledReason, FastModeState},
    mcp::{McpSource, McpStatusKind},
};

/// The start of a turn (`system/init`), with the session's configuration.
///
/// Sent once per turn, after the first prompt, and never after `initialize` alone.
#[wire(tolerant)]
pub struct Init {
    /// The session id.
    #[serde(default = "crate::lenient::empty")]
    pub session_id: SessionId,
    /// The working directory.
    pub cwd: String,
    /// The model.
    pub model: Box<str>,
    /// The names of the tools that the model may use.
    pub tools: Vec<ToolName>,
    /// The MCP servers with their status.
    pub mcp_servers: Vec<InitMcpServer>,
    /// The permission mode.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// The slash commands.
    pub slash_commands: Vec<Name>,
    /// The slash commands that only work in a terminal.
    pub terminal_slash_commands: Option<Vec<Name>>,
    /// The source of the API key.
    #[serde(rename = "apiKeySource")]
    pub api_key_source: Option<ApiKeySource>,
    /// The active beta features of the API.
    pub betas: Option<Vec<Box<str>>>,
    /// The CLI's version.
    pub claude_code_version: Option<Box<str>>,
    /// The output style.
    pub output_style: Option<Box<str>>,
    /// The available agents.
    pub agents: Vec<Name>,
    /// The available skills.
    pub skills: Vec<Name>,
    /// The loaded plugins.
    pub plugins: Vec<InitPlugin>,
    /// Plugin errors; absent if there are none.
    pub plugin_errors: Option<Vec<PluginError>>,
    /// The state of fast mode.
    pub fast_mode_state: Option<FastModeState>,
    /// Why fast mode is unavailable.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// The effort level of the next answer; `null` if unset.
    /// Sent by hosts with remote control.
    pub effort: Nullable<EffortLevel>,
    /// The preferred level of detail for display.
    pub view_mode: Option<ViewMode>,
    /// The CLI's capabilities, such as `interrupt_receipt_v1`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<Name>,
    /// The working directory at the start of the session.
    /// Not declared, seen on the wire.
    pub original_cwd: Option<String>,
    /// Additional working directories.
    /// Not declared, seen on the wire.
    pub additional_directories: Option<Vec<String>>,
    /// The directories of the model's memory.
    /// Not declared, seen on the wire.
    pub memory_paths: Option<MemoryPaths>,
    /// The socket for messages of other sessions on the machine.
    /// Not declared, seen on the wire.
    pub messaging_socket_path: Option<String>,
    /// Whether the sandbox is enabled; known since CLI 2.1.332.
    /// Not declared, seen on the wire.
    pub sandbox_enabled: Option<bool>,
    /// Whether analytics are disabled.
    /// Not declared, seen on the wire.
    pub analytics_disabled: Option<bool>,
    /// Whether feedback requests are disabled.
    /// Not declared, seen on the wire.
    pub product_feedback_disabled: Option<bool>,
    /// Whether Anthropic's own API serves the model.
    /// Not declared, seen on the wire.
    pub served_by_anthropic: Option<bool>,
    /// Whether each turn may have its own effort level.
    /// Not declared, seen on the wire.
    pub per_turn_effort_active: Option<bool>,
    /// Whether a keyword in the prompt can raise the effort level.
    /// Not declared, seen on the wire.
    pub ultrathink_available: Option<bool>,
    /// Whether that keyword has an effect when it is typed.
    /// Not declared, seen on the wire.
    pub ultrathink_typed_raises: Option<bool>,
    /// The prompts that the turn answers, by the ids that the host chose.
    /// Not declared, seen on the wire.
    pub user_message_uuids: Option<Vec<Uuid>>,
    /// Timings of the startup, for the CLI's developers; only with `CLAUDE_CODE_REMOTE`.
    /// Not declared, seen on the wire.
    pub startup_timing: Option<RawJson>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}

/// An MCP server in a `system/init` message.
#[wire]
pub struct InitMcpServer {
    /// The configured name.
    pub name: Box<str>,
    /// The connection status.
    pub status: McpStatusKind,
    /// The source of the configuration; absent from a CLI before 2.1.330.
    pub source: Option<McpSource>,
}

/// The directories of the model's memory (`memory_paths`).
///
/// Not declared, seen on the wire.
#[wire(Default)]
pub struct MemoryPaths {
    /// The directory of automatic memory.
    pub auto: Option<String>,
}

/// The source of the API key.
#[wire]
pub enum ApiKeySource {
    /// The environment variable of this name.
    Environment = "ANTHROPIC_API_KEY",
    /// A program in the settings.
    Helper = "apiKeyHelper",
    /// A key that a login created.
    ManagedKey = "/login managed key",
    /// No key: a login, a token or a cloud provider.
    NoKey = "none",
    /// The user's settings; current CLIs don't send it.
    User = "user",
    /// The project's settings; current CLIs don't send it.
    Project = "project",
    /// The organisation; current CLIs don't send it.
    Org = "org",
    /// A temporary key; current CLIs don't send it.
    Temporary = "temporary",
    /// A login; current CLIs don't send it.
    Oauth = "oauth",
}

/// The preferred level of detail for display.
#[wire]
pub enum ViewMode {
    /// The whole turn.
    Default = "default",
    /// The prompt and the last answer.
    Focus = "focus",
}
