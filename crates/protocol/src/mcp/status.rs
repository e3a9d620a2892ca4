//! How an MCP server stands, and which tools it has.

use serde::{Deserialize, Serialize};

use super::McpServerConfig;
use crate::{RawJson, open_enum::open_enum};

/// How one MCP server stands.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpServerStatus {
    /// The name under which it is configured.
    pub name: Box<str>,
    /// How its connection stands.
    pub status: McpStatusKind,
    /// What the server says of itself, once it has connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_info: Option<ServerInfo>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How it is reached; absent for servers of the host and for WebSocket.
    ///
    /// The values of headers are in it, those of environment variables are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<McpServerConfig>,
    /// By which transport it is reached. Not declared, seen on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<McpTransport>,
    /// Which configuration it stands in, such as `project` or `dynamic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<McpSource>,
    /// Where its definition came from: what trust may rest on, since the name may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<McpSource>,
    /// What the server can do, in MCP's own terms. Not in the declarations as a field, only named in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<RawJson>,
    /// The server's tools; none where it is not connected.
    #[serde(default)]
    pub tools: Vec<McpTool>,
}

open_enum! {
    /// How the connection to an MCP server stands (`status`).
    pub enum McpStatusKind {
        /// It is up.
        Connected = "connected",
        /// It could not be made, or broke.
        Failed = "failed",
        /// The user must log in first: see the request `mcp_authenticate`.
        NeedsAuth = "needs-auth",
        /// It is being made.
        Pending = "pending",
        /// The user turned the server off.
        Disabled = "disabled",
    }
}

open_enum! {
    /// By which transport an MCP server is reached (`transport`).
    pub enum McpTransport {
        /// A program's standard input and output.
        Stdio = "stdio",
        /// Server-sent events.
        Sse = "sse",
        /// Streamable HTTP.
        Http = "http",
        /// The host itself.
        Sdk = "sdk",
        /// WebSocket.
        WebSocket = "ws",
        /// A connector of the user's account.
        Proxy = "claudeai-proxy",
    }
}

open_enum! {
    /// Where an MCP server's definition came from (`source`, `scope`).
    pub enum McpSource {
        /// The host runs the server itself; nothing else can say so.
        Sdk = "sdk",
        /// A plugin brought it.
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
}

/// What an MCP server says of itself (`serverInfo`).
///
/// Known since CLI 2.1.197.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerInfo {
    /// Its name for programs.
    pub name: Box<str>,
    /// Its name for people. Not declared, seen on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Box<str>>,
    /// What it is for. Not declared; MCP has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its home page. Not declared; MCP has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
    /// Pictures of it. Not declared; MCP has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<RawJson>,
}

/// A tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpTool {
    /// The tool's name on its server.
    pub name: Box<str>,
    /// What it does. Declared, but never seen: the CLI leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it says of its own effects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// What MCP Apps says of it: `ui`, and the older `ui/resourceUri`; other keys are withheld by the CLI.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawJson>,
}

/// What a tool says of its own effects. The CLI writes only those that are `true`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// It changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// It may destroy something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// It reaches out to the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}
