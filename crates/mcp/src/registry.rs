//! The servers of a program, by the names that the CLI knows them under.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use agentwire_protocol::control::Initialize;

use crate::{Bridge, McpService, ServerPolicy};

/// In-process MCP servers by name.
///
/// It is data, like options: [`declare`](Self::declare) it in the handshake, and give each session a
/// [`bridge`](Self::bridge) of its own. A clone shares the servers.
#[derive(Clone)]
pub struct McpServers {
    servers: BTreeMap<Box<str>, Entry>,
    manifest_limit: Option<Duration>,
}

/// A server, and what the handshake says of it.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) serve: Arc<dyn McpService>,
    pub(crate) policy: ServerPolicy,
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
    pub fn with(self, name: impl Into<Box<str>>, server: impl McpService) -> Self {
        self.with_policy(name, server, ServerPolicy::new())
    }

    /// The same and this server, and what the CLI is to do with its calls.
    #[must_use]
    pub fn with_policy(
        mut self,
        name: impl Into<Box<str>>,
        server: impl McpService,
        policy: ServerPolicy,
    ) -> Self {
        self.servers.insert(name.into(), Entry { serve: Arc::new(server), policy });
        self
    }

    /// How long the servers may take, all at once, to say what they offer before the handshake
    /// ([`Bridge::manifests`]); 250 ms by default, as in the reference.
    ///
    /// The CLI is started after that, so a slow server delays the start of the session by up to this limit.
    /// A server that takes longer is asked by the CLI, as all are with `None`.
    #[must_use]
    pub fn manifest_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.manifest_limit = limit.into();
        self
    }

    /// The names, as they are in [`Initialize::sdk_mcp_servers`].
    pub fn names(&self) -> Vec<Box<str>> {
        self.servers.keys().cloned().collect()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// Says in the handshake which servers there are (`sdkMcpServers`), and what the CLI is to do with their calls
    /// (`sdkMcpServerConfigs`).
    pub fn declare(&self, initialize: &mut Initialize) {
        initialize.sdk_mcp_servers = self.names();
        let configs = self.servers.iter();
        let configs =
            configs.filter_map(|(name, entry)| Some((name.clone(), entry.policy.declared()?.clone())));
        initialize.sdk_mcp_server_configs = configs.collect();
    }

    /// What answers the CLI in one session: each server has an instance of its own in it.
    pub fn bridge(&self) -> Bridge {
        Bridge::new(self.servers.clone(), self.manifest_limit)
    }
}

impl Default for McpServers {
    fn default() -> Self {
        Self { servers: BTreeMap::new(), manifest_limit: Some(MANIFEST_LIMIT) }
    }
}

impl fmt::Debug for McpServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.servers.keys()).finish()
    }
}

/// A server in this program answers in microseconds; one that asks another machine first may not be waited for.
const MANIFEST_LIMIT: Duration = Duration::from_millis(250);
