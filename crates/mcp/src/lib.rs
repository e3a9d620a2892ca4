#![doc = include_str!("../README.md")]

mod policy;
mod registry;

mod serve;

mod bridge;
mod check;
mod rpc;

#[cfg(feature = "rmcp")]
mod content;
#[cfg(feature = "rmcp")]
mod rmcp_server;
#[cfg(feature = "schemars")]
mod schema;
#[cfg(feature = "rmcp")]
mod server;
#[cfg(feature = "rmcp")]
mod tool;

pub use bridge::Bridge;
pub use policy::ServerPolicy;
pub use registry::McpServers;
pub use serve::{McpService, Outbox, OutboxClosed, ResponseFuture, ServerInstance};

#[cfg(feature = "rmcp")]
pub use content::{IntoToolOutput, ToolOutput};
#[cfg(feature = "rmcp")]
pub use rmcp_server::RmcpServer;
#[cfg(feature = "rmcp")]
pub use server::Server;
#[cfg(feature = "rmcp")]
pub use tool::{Tool, ToolContext};

#[cfg(feature = "rmcp")]
pub use rmcp::{self, Json};
#[cfg(feature = "schemars")]
pub use schemars;
