//! The status and the tools of an MCP server.

use super::McpServerConfig;
use crate::RawJson;

/// The status of one MCP server.
#[wire(camelCase)]
pub struct McpServerStatus {
    /// The configured name.
    pub name: Box<str>,
    /// The status of its connection.
    pub status: McpStatusKind,
    /// The server's description of itself, once it is connected.
    pub server_info: Option<ServerInfo>,
    /// The reason for a failure.
    pub error: Option<String>,
    /// The configuration; absent for in-process and WebSocket servers.
    ///
    /// It contains the values of headers, but not those of environment variables.
    pub config: Option<McpServerConfig>,
    /// The transport. Not declared, seen on the wire.
    pub transport: Option<McpTransport>,
    /// The scope of its configuration, such as `project` or `dynamic`.
    pub scope: Option<McpSource>,
    /// The origin of its definition. Base trust on this field, not on the name.
    pub source: Option<McpSource>,
    /// The server's MCP capabilities. The declarations mention them, but not as a field.
    pub capabilities: Option<RawJson>,
    /// The server's tools; empty if it is not connected.
    #[serde(default)]
    pub tools: Vec<McpTool>,
}

/// The status of the connection to an MCP server (`status`).
#[wire]
pub enum McpStatusKind {
    /// Connected.
    Connected = "connected",
    /// The connection failed or was lost.
    Failed = "failed",
    /// The user must log in first: see the request `mcp_authenticate`.
    NeedsAuth = "needs-auth",
    /// The connection is in progress.
    Pending = "pending",
    /// The user disabled the server.
    Disabled = "disabled",
}

/// The transport of an MCP server (`transport`).
#[wire]
pub enum McpTransport {
    /// Standard input and output of a child process.
    Stdio = "stdio",
    /// Server-sent events.
    Sse = "sse",
    /// Streamable HTTP.
    Http = "http",
    /// In-process in the host.
    Sdk = "sdk",
    /// WebSocket.
    WebSocket = "ws",
    /// A connector of the user's account.
    Proxy = "claudeai-proxy",
}

/// The origin of an MCP server's definition (`source`, `scope`).
#[wire]
pub enum McpSource {
    /// The host itself; no other origin uses this value.
    Sdk = "sdk",
    /// A plugin.
    Plugin = "plugin",
    /// The user's settings.
    User = "user",
    /// The project's settings.
    Project = "project",
    /// The project's local settings.
    Local = "local",
    /// The command line, or `mcp_set_servers`.
    Dynamic = "dynamic",
    /// Managed settings.
    Managed = "managed",
    /// The organisation.
    Enterprise = "enterprise",
    /// The user's account on claude.ai.
    ClaudeAi = "claudeai",
    /// An agent's definition.
    Agent = "agent",
}

/// An MCP server's description of itself (`serverInfo`).
///
/// Known since CLI 2.1.197.
#[wire(Eq, camelCase)]
pub struct ServerInfo {
    /// The name.
    pub name: Box<str>,
    /// The display name. Not declared, seen on the wire.
    pub title: Option<String>,
    /// The version.
    pub version: Option<Box<str>>,
    /// The description. Not declared; part of MCP.
    pub description: Option<String>,
    /// The website. Not declared; part of MCP.
    pub website_url: Option<String>,
    /// Icons. Not declared; part of MCP.
    pub icons: Option<RawJson>,
}

/// A tool of an MCP server.
#[wire]
pub struct McpTool {
    /// The tool's name on the server.
    pub name: Box<str>,
    /// The description. Declared, but never seen: the CLI leaves it out.
    pub description: Option<String>,
    /// The server's hints about the tool's effects.
    pub annotations: Option<ToolAnnotations>,
    /// Metadata of MCP Apps: `ui`, and the older `ui/resourceUri`; the CLI leaves other keys out.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
}

/// A server's hints about the effects of a tool. The CLI only writes those that are `true`.
#[wire(Copy, Default, Eq, camelCase)]
pub struct ToolAnnotations {
    /// The tool does not modify its environment.
    pub read_only: Option<bool>,
    /// The tool may perform destructive updates.
    pub destructive: Option<bool>,
    /// The tool interacts with external systems.
    pub open_world: Option<bool>,
}
