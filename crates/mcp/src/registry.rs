//! The servers of a program, by the names that the CLI knows them under.

use std::{collections::BTreeMap, fmt, sync::Arc};

use crate::{Bridge, Serve};

/// In-process MCP servers by name.
///
/// It is data, like options: put [`names`](Self::names) into the handshake, and give each session a [`bridge`](Self::bridge)
/// of its own. A clone shares the servers.
#[derive(Clone, Default)]
pub struct McpServers {
    servers: BTreeMap<Box<str>, Arc<dyn Serve>>,
}

impl McpServers {
    /// No servers.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same and this server, in the place of one of the same name.
    ///
    /// The CLI calls its tools `mcp__NAME__TOOL`.
    #[must_use]
    pub fn with(mut self, name: impl Into<Box<str>>, server: impl Serve) -> Self {
        self.servers.insert(name.into(), Arc::new(server));
        self
    }

    /// The names, for [`Initialize::sdk_mcp_servers`](agentwire_protocol::control::Initialize::sdk_mcp_servers).
    pub fn names(&self) -> Vec<Box<str>> {
        self.servers.keys().cloned().collect()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// What answers the CLI in one session: each server has an instance of its own in it, opened at its first message.
    pub fn bridge(&self) -> Bridge {
        Bridge::new(self.servers.clone())
    }
}

impl fmt::Debug for McpServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.servers.keys()).finish()
    }
}
