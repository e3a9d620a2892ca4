//! What the servers of a hub offer.

use super::Hub;
use crate::{NamedTool, Naming, Offers, ServerState, offers::Offering};

impl Hub {
    /// What the connected servers offer now, with tools and prompts named in this way.
    pub fn offers(&self, naming: Naming) -> Offers {
        Offers::new(naming, self.offering())
    }

    /// The tools of the connected servers that may be called, under their unique names
    /// ([`Naming::UNDERSCORES`]).
    pub fn tools(&self) -> Vec<NamedTool> {
        self.offers(Naming::default()).tools().to_vec()
    }

    pub(super) fn offering(&self) -> Vec<Offering> {
        self.snapshot()
            .into_iter()
            .filter_map(|snapshot| {
                let catalog = self.catalog(snapshot.configured.name.as_str())?;
                let is_connected = matches!(
                    snapshot.state,
                    ServerState::Connected { .. } | ServerState::Reconnecting { .. }
                );
                Some(Offering { snapshot, catalog, is_connected })
            })
            .collect()
    }
}

#[cfg(feature = "session")]
impl Hub {
    /// All servers as one in-process MCP server of a session: a [`Gateway`](crate::Gateway).
    ///
    /// Served as `hub`, the tool `echo` of the server `everything` is `mcp__hub__everything__echo` to the CLI.
    /// The CLI asks for permission by its own rules first; the [approval](crate::HubBuilder::approval) of the hub applies
    /// to what the CLI lets pass.
    /// With other names, or more patience: `RmcpServer::new(Gateway::new(&hub).patience(…))`.
    pub fn serve(&self) -> agentwire_mcp::RmcpServer<crate::Gateway> {
        agentwire_mcp::RmcpServer::new(crate::Gateway::new(self))
    }
}
