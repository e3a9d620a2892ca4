#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod policy;
mod registry;

mod service;

mod bridge;
mod check;
mod failure;
mod rpc;

mod content;
mod description;
#[cfg(feature = "rmcp")]
mod rmcp_server;
#[cfg(feature = "schemars")]
mod schema;
mod server;
mod tool;

pub use bridge::Bridge;
pub use content::{IntoToolOutput, Json, PromptMessages, ResourceBody, ToolOutput};
pub use description::{Icon, Prompt, PromptArgument, Resource, ResourceTemplate};
pub use policy::ServerPolicy;
pub use registry::McpServers;
pub use server::{Server, ServerRequestError};
pub use service::{McpService, Outbox, OutboxClosed, ResponseFuture, ServerInstance};
pub use tool::{Tool, ToolContext};

#[cfg(feature = "rmcp")]
pub use rmcp;
#[cfg(feature = "rmcp")]
pub use rmcp_server::RmcpServer;
#[cfg(feature = "schemars")]
pub use schemars;
