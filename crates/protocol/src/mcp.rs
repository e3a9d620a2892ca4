//! MCP servers: their configuration, status and tool permissions.

mod config;
mod policy;
mod status;

pub use config::*;
pub use policy::*;
pub use status::*;
