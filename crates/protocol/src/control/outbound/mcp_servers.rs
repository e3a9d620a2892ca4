//! Requests that set, reconnect and toggle MCP servers.

use std::collections::BTreeMap;

use crate::{PermissionMode, mcp::McpServerConfig};

/// Replaces the MCP servers of earlier requests (`mcp_set_servers`), including in-process servers.
///
/// Servers of the settings are not affected.
#[wire(Default, new)]
pub struct McpSetServers {
    /// The servers by name.
    #[argument]
    pub servers: BTreeMap<Box<str>, McpServerConfig>,
}

/// The outcome for the servers.
///
/// The CLI replies after their first connection attempt; a failed server is in both `added` and `errors`.
#[wire(Default, Eq, tolerant)]
pub struct McpSetServersReply {
    /// The added servers.
    pub added: Vec<Box<str>>,
    /// The removed servers.
    pub removed: Vec<Box<str>>,
    /// The connection errors, by server name.
    pub errors: BTreeMap<Box<str>, String>,
}

/// Reconnects an MCP server (`mcp_reconnect`).
#[wire(Eq, camelCase, new)]
pub struct McpReconnect {
    /// The server; an unknown name is an error.
    pub server_name: Box<str>,
}

/// Enables or disables an MCP server (`mcp_toggle`).
#[wire(Eq, camelCase, new)]
pub struct McpToggle {
    /// The server; an unknown name is an error.
    pub server_name: Box<str>,
    /// Whether to enable it.
    pub enabled: bool,
}

/// Sets the permission mode of one MCP server (`set_mcp_permission_mode_override`).
///
/// Not declared as a request, but as a method of the official SDK.
#[wire(Eq, nulls, camelCase, new)]
pub struct SetMcpPermissionModeOverride {
    /// The server.
    pub server_name: Box<str>,
    /// `default` or `auto`; `null` for the session's mode.
    ///
    /// Always written: the CLI rejects a request without it.
    #[argument]
    pub mode: Option<PermissionMode>,
}

/// The outcome of the request.
#[wire(Default, Eq)]
pub struct SetMcpPermissionModeOverrideReply {
    /// Why the mode may have no effect, for example for an unknown server; absent on full success.
    pub warning: Option<String>,
}
