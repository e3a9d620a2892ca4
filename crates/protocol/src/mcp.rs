//! MCP servers: their configuration, status and tool permissions.

mod config;
mod policy;
mod status;

pub use config::{
    HttpServer, McpServerConfig, ProxyServer, SdkServer, SseServer, StdioServer, WebSocketServer,
};
pub use policy::{OrgMaxPermission, ToolPermission, ToolPolicy};
pub use status::{
    McpServerStatus, McpSource, McpStatusKind, McpTool, McpTransport, ServerInfo, ToolAnnotations,
};
