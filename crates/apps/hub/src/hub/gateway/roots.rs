//! The folders that a client works in: they are passed on to the servers.
#![expect(deprecated, reason = "roots are on their way out of MCP, and servers still ask for them")]

use std::time::Duration;

use rmcp::{Peer, RoleServer};
use tokio::time::timeout;

use super::Gateway;

impl Gateway {
    /// Takes over the roots of the client, for the servers.
    pub(super) async fn read_roots(&self, peer: &Peer<RoleServer>) {
        let has_roots = peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
        if !self.hub.calls().asks_callers || !has_roots {
            return;
        }
        match timeout(ROOTS, peer.list_roots()).await {
            Ok(Ok(listed)) => self.hub.calls().roots.set(self.client_id(), listed.roots),
            Ok(Err(error)) => tracing::debug!(%error, "the roots of a client can't be had"),
            Err(_) => tracing::debug!("the client did not list its roots in time"),
        }
    }
}

/// How long a client has to list its roots.
const ROOTS: Duration = Duration::from_secs(10);
