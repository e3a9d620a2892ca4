//! Requests that set, reconnect and toggle MCP servers.

use std::collections::BTreeMap;

use super::{Ack, control_call};
use crate::{PermissionMode, mcp::McpServerConfig};

/// Replaces the MCP servers of earlier requests (`mcp_set_servers`), including in-process servers.
///
/// Servers of the settings are not affected.
#[wire(Default)]
pub struct McpSetServers {
    /// The servers by name.
    pub servers: BTreeMap<Box<str>, McpServerConfig>,
}

impl McpSetServers {
    /// Returns a request with these servers.
    pub fn new(servers: BTreeMap<Box<str>, McpServerConfig>) -> Self {
        Self { servers }
    }
}

control_call!(McpSetServers = "mcp_set_servers" => McpSetServersReply);

/// The outcome for the servers.
///
/// The CLI replies after their first connection attempt; a failed server is in both `added` and `errors`.
#[wire(Default, Eq, default)]
pub struct McpSetServersReply {
    /// The added servers.
    pub added: Vec<Box<str>>,
    /// The removed servers.
    pub removed: Vec<Box<str>>,
    /// The connection errors, by server name.
    pub errors: BTreeMap<Box<str>, String>,
}

/// Reconnects an MCP server (`mcp_reconnect`).
#[wire(Eq, camelCase)]
pub struct McpReconnect {
    /// The server; an unknown name is an error.
    pub server_name: Box<str>,
}

impl McpReconnect {
    /// Returns a request to reconnect this server.
    pub fn new(server_name: impl Into<Box<str>>) -> Self {
        Self { server_name: server_name.into() }
    }
}

control_call!(McpReconnect = "mcp_reconnect" => Ack);

/// Enables or disables an MCP server (`mcp_toggle`).
#[wire(Eq, camelCase)]
pub struct McpToggle {
    /// The server; an unknown name is an error.
    pub server_name: Box<str>,
    /// Whether to enable it.
    pub enabled: bool,
}

impl McpToggle {
    /// Returns a request to enable or disable this server.
    pub fn new(server_name: impl Into<Box<str>>, enabled: bool) -> Self {
        Self { server_name: server_name.into(), enabled }
    }
}

control_call!(McpToggle = "mcp_toggle" => Ack);

/// Sets the permission mode of one MCP server (`set_mcp_permission_mode_override`).
///
/// Not declared as a request, but as a method of the official SDK.
#[wire(Eq, nulls, camelCase)]
pub struct SetMcpPermissionModeOverride {
    /// The server.
    pub server_name: Box<str>,
    /// `default` or `auto`; `null` for the session's mode.
    ///
    /// Always written: the CLI rejects a request without it.
    pub mode: Option<PermissionMode>,
}

impl SetMcpPermissionModeOverride {
    /// Returns a request to set or clear the mode of this server.
    pub fn new(server_name: impl Into<Box<str>>, mode: Option<PermissionMode>) -> Self {
        Self { server_name: server_name.into(), mode }
    }
}

control_call!(SetMcpPermissionModeOverride = "set_mcp_permission_mode_override" => SetMcpPermissionModeOverrideReply);

/// The outcome of the request.
#[wire(Default, Eq)]
pub struct SetMcpPermissionModeOverrideReply {
    /// Why the mode may have no effect, for example for an unknown server; absent on full success.
    pub warning: Option<String>,
}
