//! Which MCP servers the session has: setting, reconnecting and switching them, and what their tools may do.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Ack, ControlCall};
use crate::{PermissionMode, mcp::McpServerConfig};

/// Puts these MCP servers in the place of those set before (`mcp_set_servers`), those of the host included.
///
/// The servers of the settings stay.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpSetServers {
    /// The servers by name.
    pub servers: BTreeMap<Box<str>, McpServerConfig>,
}

impl McpSetServers {
    /// Sets these servers.
    pub fn new(servers: BTreeMap<Box<str>, McpServerConfig>) -> Self {
        Self { servers }
    }
}

impl ControlCall for McpSetServers {
    const SUBTYPE: &'static str = "mcp_set_servers";
    type Reply = McpSetServersReply;
}

/// What became of the servers.
///
/// The reply waits for their first attempt to connect; one that failed is among those added and among the errors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct McpSetServersReply {
    /// Servers that came.
    pub added: Vec<Box<str>>,
    /// Servers that went.
    pub removed: Vec<Box<str>>,
    /// Why servers did not connect, by name.
    pub errors: BTreeMap<Box<str>, String>,
}

/// Connects an MCP server again (`mcp_reconnect`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpReconnect {
    /// The server; one that is unknown is an error.
    pub server_name: Box<str>,
}

impl McpReconnect {
    /// Connects this server again.
    pub fn new(server_name: impl Into<Box<str>>) -> Self {
        Self { server_name: server_name.into() }
    }
}

impl ControlCall for McpReconnect {
    const SUBTYPE: &'static str = "mcp_reconnect";
    type Reply = Ack;
}

/// Turns an MCP server on or off (`mcp_toggle`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpToggle {
    /// The server; one that is unknown is an error.
    pub server_name: Box<str>,
    /// Whether it is to be on.
    pub enabled: bool,
}

impl McpToggle {
    /// Turns this server on or off.
    pub fn new(server_name: impl Into<Box<str>>, enabled: bool) -> Self {
        Self { server_name: server_name.into(), enabled }
    }
}

impl ControlCall for McpToggle {
    const SUBTYPE: &'static str = "mcp_toggle";
    type Reply = Ack;
}

/// Sets how the tools of one MCP server are permitted (`set_mcp_permission_mode_override`).
///
/// Not declared as a request, but as a method of the vendor's SDK.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SetMcpPermissionModeOverride {
    /// The server.
    pub server_name: Box<str>,
    /// `default` or `auto`; `null` for the session's mode.
    ///
    /// The field must be there: the CLI refuses a request without it.
    pub mode: Option<PermissionMode>,
}

impl SetMcpPermissionModeOverride {
    /// Sets this mode for this server, or cancels it.
    pub fn new(server_name: impl Into<Box<str>>, mode: Option<PermissionMode>) -> Self {
        Self { server_name: server_name.into(), mode }
    }
}

impl ControlCall for SetMcpPermissionModeOverride {
    const SUBTYPE: &'static str = "set_mcp_permission_mode_override";
    type Reply = SetMcpPermissionModeOverrideReply;
}

/// How the mode was set.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SetMcpPermissionModeOverrideReply {
    /// Why it may have no effect, as for a server that is not known yet; absent where all is well.
    pub warning: Option<String>,
}
