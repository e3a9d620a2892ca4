//! The in-process servers of a program, by their names.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use agentwire_protocol::control::Initialize;

use crate::{Bridge, McpService, ServerPolicy, bridge::Entry};

/// In-process MCP servers by name.
///
/// The value is configuration: [`declare`](Self::declare) it in the handshake, and give each session its own
/// [`bridge`](Self::bridge). Clones share the servers.
#[derive(Clone)]
pub struct McpServers {
    servers: BTreeMap<Box<str>, Entry>,
    manifest_limit: Option<Duration>,
}

impl McpServers {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a server, in place of one with the same name.
    ///
    /// The CLI calls its tools `mcp__NAME__TOOL`, with `_` for each character but ASCII letters, digits, `_` and `-`: of
    /// two names that become equal, one is hidden.
    /// Permission rules need that form too. For a name that contains `__`, the rule for all its tools is `mcp__NAME__*`,
    /// since `mcp__NAME` allows none.
    #[must_use]
    pub fn with(self, name: impl Into<Box<str>>, server: impl McpService) -> Self {
        self.with_policy(name, server, ServerPolicy::new())
    }

    /// Adds a server with a policy for its calls.
    #[must_use]
    pub fn with_policy(
        mut self,
        name: impl Into<Box<str>>,
        server: impl McpService,
        policy: ServerPolicy,
    ) -> Self {
        self.servers.insert(name.into(), Entry { service: Arc::new(server), policy });
        self
    }

    /// Limits how long all servers together may take to make their manifests before the handshake
    /// ([`Bridge::manifests`]); 250 ms by default, as in the reference SDKs.
    ///
    /// The CLI starts after that, so a slow server delays the start of the session by up to this limit.
    /// The CLI itself queries a server that takes longer, and all servers if the limit is `None`.
    #[must_use]
    pub fn manifest_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.manifest_limit = limit.into();
        self
    }

    /// Returns the names, as in [`Initialize::sdk_mcp_servers`].
    pub fn names(&self) -> Vec<Box<str>> {
        self.servers.keys().cloned().collect()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// Declares the servers (`sdkMcpServers`) and their policies (`sdkMcpServerConfigs`) in the handshake.
    pub fn declare(&self, initialize: &mut Initialize) {
        initialize.sdk_mcp_servers = self.names();
        let policies = self.servers.iter().map(|(name, entry)| (name, &entry.policy));
        let declared = policies.filter_map(|(name, policy)| Some((name.clone(), policy.declared()?.clone())));
        initialize.sdk_mcp_server_configs = declared.collect();
    }

    /// Creates the bridge of one session, which has its own instance of each server.
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

/// Long enough for a server in this process, and too short to query another machine.
const MANIFEST_LIMIT: Duration = Duration::from_millis(250);
