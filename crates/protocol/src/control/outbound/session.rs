//! The session itself: its title, its colour, its spare process, its end.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Ack, ControlCall};
use crate::{
    Nullable, PermissionMode, Secrets, SessionId, agent::AgentDefinition, control::InitializeReply,
    open_enum::open_enum,
};

/// Gives the session a title (`rename_session`).
///
/// `system/session_title_changed` follows.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RenameSession {
    /// The title; an empty one is refused.
    pub title: String,
    /// Who chose it; `None` counts as [`RenameSource::Remote`].
    pub source: Option<RenameSource>,
    /// The session that is meant; refused where this is no longer the current one.
    ///
    /// CLI 2.1.197 does not look at it.
    pub session_id: Option<SessionId>,
}

impl RenameSession {
    /// Gives the current session this title.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), source: None, session_id: None }
    }
}

impl ControlCall for RenameSession {
    const SUBTYPE: &'static str = "rename_session";
    type Reply = Ack;
}

open_enum! {
    /// Who chose a session's title (`source`).
    pub enum RenameSource {
        /// Somebody on the web.
        Remote = "remote",
        /// The user, in the host.
        Host = "host",
    }
}

/// Gives the session a colour (`set_color`).
///
/// Declared, but CLI 2.1.197 and 2.1.330 do not know it on stdio: they answer `unsupported_request`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SetColor {
    /// The colour's name; `default` for none.
    pub color: Box<str>,
}

impl SetColor {
    /// This colour.
    pub fn new(color: impl Into<Box<str>>) -> Self {
        Self { color: color.into() }
    }
}

impl ControlCall for SetColor {
    const SUBTYPE: &'static str = "set_color";
    type Reply = Ack;
}

/// Has the model make up a title (`generate_session_title`).
///
/// Not declared, answered by the CLI: it asks a small model once.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GenerateSessionTitle {
    /// What the session is about.
    pub description: String,
    /// Whether the session gets the title at once.
    pub persist: Option<bool>,
}

impl GenerateSessionTitle {
    /// A title for what is described.
    pub fn new(description: impl Into<String>) -> Self {
        Self { description: description.into(), persist: None }
    }
}

impl ControlCall for GenerateSessionTitle {
    const SUBTYPE: &'static str = "generate_session_title";
    type Reply = GenerateSessionTitleReply;
}

/// The title that was made up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GenerateSessionTitleReply {
    /// The title; `null` where the model gave none.
    pub title: Option<String>,
}

/// Ends the session (`end_session`): the reply comes, then the process ends with code 0.
///
/// Not declared, answered by the CLI. Known since CLI 2.1.197.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct EndSession {
    /// Why, in any words.
    pub reason: Option<Box<str>>,
}

impl ControlCall for EndSession {
    const SUBTYPE: &'static str = "end_session";
    type Reply = Ack;
}

/// Makes a session of a spare process (`claim_session`), one that was started with `--await-claim`.
///
/// It may come before `initialize` or after it, and must come before the first prompt.
/// Not declared; the fields are those that the CLI checks, others are ignored.
/// The text of a refusal starts with its reason, such as `cwd_not_found:`, or `not_a_spare:` from a process that was not
/// started so or was claimed already.
/// A refusal changes nothing: the process can be claimed again.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ClaimSession {
    /// The session's working directory; a relative one counts from the process's own.
    pub cwd: String,
    /// Environment variables to set: only those that are not read at the start, such as
    /// `CLAUDE_CODE_SESSION_ACCESS_TOKEN`; others are refused.
    #[serde(default, skip_serializing_if = "Secrets::is_empty")]
    pub env: Secrets,
    /// How tool uses are permitted.
    pub permission_mode: Option<PermissionMode>,
    /// More directories to work in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additional_directories: Vec<String>,
    /// The session's title.
    pub title: Option<String>,
    /// The names of the in-process MCP servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sdk_mcp_servers: Vec<Box<str>>,
    /// The system prompt, as parts.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub system_prompt: Nullable<Vec<String>>,
    /// Text behind the system prompt.
    pub append_system_prompt: Option<String>,
    /// Subagents of the host's own, by type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<Box<str>, AgentDefinition>,
    /// Whether the reply is to hold what a handshake would tell now.
    pub include_initialize: Option<bool>,
}

impl ClaimSession {
    /// A session in this directory.
    pub fn new(cwd: impl Into<String>) -> Self {
        Self {
            cwd: cwd.into(),
            env: Secrets::default(),
            permission_mode: None,
            additional_directories: Vec::new(),
            title: None,
            sdk_mcp_servers: Vec::new(),
            system_prompt: Nullable::Absent,
            append_system_prompt: None,
            agents: BTreeMap::new(),
            include_initialize: None,
        }
    }
}

impl ControlCall for ClaimSession {
    const SUBTYPE: &'static str = "claim_session";
    type Reply = ClaimSessionReply;
}

/// The session that was made. Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ClaimSessionReply {
    /// How it went; `ok` is the only word seen.
    pub status: Option<Box<str>>,
    /// The session's working directory.
    pub cwd: Option<String>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// How long the process was a spare, in milliseconds.
    pub parked_ms: Option<u64>,
    /// Whether the in-process MCP servers have connected.
    pub sdk_mcp_settled: Option<bool>,
    /// What a handshake would tell of the session; only where it was asked for.
    pub initialize: Option<Box<InitializeReply>>,
}
