//! `system/init`: a turn starts.

use serde::{Deserialize, Serialize};

use crate::{PermissionMode, SessionId, Uuid};

/// A turn starts (`system/init`): what the session can do.
///
/// It comes after the first prompt and once for each turn, never after `initialize` alone.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Init {
    /// The session.
    pub session_id: SessionId,
    /// The working directory.
    pub cwd: String,
    /// The model in use.
    pub model: Box<str>,
    /// The names of the tools that the model may use.
    #[serde(default)]
    pub tools: Vec<Box<str>>,
    /// The MCP servers and how they stand.
    #[serde(default)]
    pub mcp_servers: Vec<InitMcpServer>,
    /// How tool uses are permitted.
    #[serde(rename = "permissionMode", skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    /// The commands that a prompt may start with.
    #[serde(default)]
    pub slash_commands: Vec<Box<str>>,
    /// Where the API key came from.
    #[serde(rename = "apiKeySource", skip_serializing_if = "Option::is_none")]
    pub api_key_source: Option<Box<str>>,
    /// The CLI's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claude_code_version: Option<Box<str>>,
    /// How answers are styled.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// This frame's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
}

/// An MCP server as a starting turn sees it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InitMcpServer {
    /// The name under which it is configured.
    pub name: Box<str>,
    /// How it stands, such as `connected`.
    pub status: Box<str>,
}

/// A loaded plugin.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InitPlugin {
    /// Its name.
    pub name: Box<str>,
    /// Where it lies, or `builtin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Box<str>>,
}
