//! Session requests: title, colour, spare processes and the end of the session.

use std::collections::BTreeMap;

use crate::{Nullable, PermissionMode, Secrets, SessionId, agent::AgentDefinition, control::InitializeReply};

/// Sets the title of the session (`rename_session`).
///
/// The CLI then sends `system/session_title_changed`.
#[wire(Eq, new)]
pub struct RenameSession {
    /// The title; an empty title is rejected.
    pub title: String,
    /// The source of the title; `None` means [`RenameSource::Remote`].
    pub source: Option<RenameSource>,
    /// The session to rename; the request fails if it is not the current session.
    ///
    /// CLI 2.1.197 ignores it.
    pub session_id: Option<SessionId>,
}

/// The source of a session title (`source`).
#[wire]
pub enum RenameSource {
    /// A user on the web.
    Remote = "remote",
    /// The user of the host.
    Host = "host",
}

/// Sets the colour of the session (`set_color`).
///
/// Declared, but CLI 2.1.197 and 2.1.330 do not support it on stdio: they reply `unsupported_request`.
#[wire(Eq, new)]
pub struct SetColor {
    /// The name of the colour; `default` for none.
    pub color: Box<str>,
}

/// Generates a title with a model (`generate_session_title`).
///
/// Not declared, but the CLI supports it: it sends one request to a small model.
#[wire(Eq, new)]
pub struct GenerateSessionTitle {
    /// A description of the session.
    pub description: String,
    /// Whether to set the title of the session immediately.
    pub persist: Option<bool>,
}

/// The generated title.
#[wire(Default, Eq, nulls)]
pub struct GenerateSessionTitleReply {
    /// The title; `null` if the model did not return one.
    pub title: Option<String>,
}

/// Ends the session (`end_session`): the CLI replies, then exits with code 0.
///
/// Not declared, but the CLI supports it since 2.1.197.
#[wire(Default, Eq)]
pub struct EndSession {
    /// The reason, as free text.
    pub reason: Option<Box<str>>,
}

/// Starts a session in a spare process, which was started with `--await-claim` (`claim_session`).
///
/// Send it before or after `initialize`, and before the first prompt.
/// Not declared; these are the fields that the CLI checks. It ignores others.
/// The error message starts with a reason, such as `cwd_not_found:`, or `not_a_spare:` for a process that was not
/// started as a spare or was already claimed.
/// After an error the process can be claimed again.
#[wire(new)]
pub struct ClaimSession {
    /// The session's working directory; absolute, or relative to the working directory of the process.
    pub cwd: String,
    /// Environment variables to set: only those that are not read at the start, such as
    /// `CLAUDE_CODE_SESSION_ACCESS_TOKEN`; others are rejected.
    #[serde(default, skip_serializing_if = "Secrets::is_empty")]
    pub env: Secrets,
    /// The permission mode.
    pub permission_mode: Option<PermissionMode>,
    /// Additional working directories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additional_directories: Vec<String>,
    /// The title of the session.
    pub title: Option<String>,
    /// The names of in-process MCP servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sdk_mcp_servers: Vec<Box<str>>,
    /// The system prompt, as parts.
    pub system_prompt: Nullable<Vec<String>>,
    /// Text appended to the system prompt.
    pub append_system_prompt: Option<String>,
    /// Subagents that the host defines, by type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<Box<str>, AgentDefinition>,
    /// Whether to include a handshake reply in the reply.
    pub include_initialize: Option<bool>,
}

/// The started session. Not declared, seen on the wire.
#[wire(Default)]
pub struct ClaimSessionReply {
    /// The status; only `ok` was seen.
    pub status: Option<Box<str>>,
    /// The session's working directory.
    pub cwd: Option<String>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// How long the process was a spare, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub parked_ms: Option<u64>,
    /// Whether the in-process MCP servers have connected.
    pub sdk_mcp_settled: Option<bool>,
    /// The handshake reply, if requested.
    pub initialize: Option<Box<InitializeReply>>,
}
