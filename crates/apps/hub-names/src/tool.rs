//! A tool among those of all servers.

use std::sync::Arc;

use rmcp::model::Tool;

use crate::ServerName;

/// A tool under its unique name.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NamedTool {
    /// The unique name, by which a model calls it.
    pub name: Arc<str>,
    /// The server that has it.
    pub server: ServerName,
    /// The tool as its server describes it, with the server's own name for it.
    pub tool: Tool,
}

impl NamedTool {
    /// A tool of a server, under this unique name.
    pub fn new(name: impl Into<Arc<str>>, server: impl Into<ServerName>, tool: Tool) -> Self {
        Self { name: name.into(), server: server.into(), tool }
    }
}
