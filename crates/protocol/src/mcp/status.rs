//! How an MCP server stands, and which tools it has.

use serde::{Deserialize, Serialize};

use super::McpServerConfig;
use crate::{RawJson, open_enum::open_enum};

/// How one MCP server stands.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpServerStatus {
    /// The name under which it is configured.
    pub name: Box<str>,
    /// How its connection stands.
    pub status: McpStatusKind,
    /// What the server says of itself, once it has connected.
    pub server_info: Option<ServerInfo>,
    /// Why it failed.
    pub error: Option<String>,
    /// How it is reached; absent for servers of the host and for WebSocket.
    ///
    /// The values of headers are in it, those of environment variables are not.
    pub config: Option<McpServerConfig>,
    /// By which transport it is reached. Not declared, seen on the wire.
    pub transport: Option<McpTransport>,
    /// Which configuration it stands in, such as `project` or `dynamic`.
    pub scope: Option<McpSource>,
    /// Where its definition came from: what trust may rest on, since the name may not.
    pub source: Option<McpSource>,
    /// What the server can do, in MCP's own terms. Not in the declarations as a field, only named in them.
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
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerInfo {
    /// Its name for programs.
    pub name: Box<str>,
    /// Its name for people. Not declared, seen on the wire.
    pub title: Option<String>,
    /// Its version.
    pub version: Option<Box<str>>,
    /// What it is for. Not declared; MCP has it.
    pub description: Option<String>,
    /// Its home page. Not declared; MCP has it.
    pub website_url: Option<String>,
    /// Pictures of it. Not declared; MCP has them.
    pub icons: Option<RawJson>,
}

/// A tool of an MCP server.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpTool {
    /// The tool's name on its server.
    pub name: Box<str>,
    /// What it does. Declared, but never seen: the CLI leaves it out.
    pub description: Option<String>,
    /// What it says of its own effects.
    pub annotations: Option<ToolAnnotations>,
    /// What MCP Apps says of it: `ui`, and the older `ui/resourceUri`; other keys are withheld by the CLI.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
}

/// What a tool says of its own effects. The CLI writes only those that are `true`.
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// It reaches out to the world.
    pub open_world: Option<bool>,
}
