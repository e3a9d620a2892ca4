//! The public handle to all servers of a program.

#[cfg(feature = "auth")]
mod authorization;
mod builder;
mod call;
mod edit;
mod follow;
mod gateway;
#[cfg(feature = "auth")]
mod loopback;
mod read;
mod reload;

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;
use tokio::time::timeout;

use self::follow::Follow;
#[cfg(feature = "auth")]
pub use self::{authorization::Authorization, loopback::Loopback};
pub use self::{builder::HubBuilder, gateway::Gateway};
use crate::{
    Catalog, ClientHandlers, EventStream, NamedTool, Naming, Offers, ServerSnapshot, ServerState, StderrLine,
    Trouble,
    call::CallSettings,
    config::{Configuration, Configured, Problem},
    event::Events,
    offers::Offering,
    servers::Servers,
};

/// All MCP servers of a program: keeps them connected and applies configuration changes while they run.
///
/// The hub watches its configuration files. After a change, servers are added, removed and updated; a server restarts only
/// if the way to reach it has changed. If a file or one of its servers is invalid, the last valid state stays in force and
/// [`problems`](Self::problems) reports the error.
/// A server also restarts after a change in its `watchPaths`, of an argument that contains `build/index.js`, or of the
/// content of its env file.
///
/// Clones are cheap and refer to the same hub. When the last clone is dropped, the servers end in the background;
/// [`close`](Self::close) waits for them.
/// The server processes and all that they started end even if the runtime shuts down or this program is killed.
///
/// ```
/// use agentwire_hub::Hub;
/// use futures_util::StreamExt as _;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let one = Hub::builder().build();
/// let mut events = one.events();
/// let other = one.clone();
/// drop(one);
/// assert!(other.is_enabled());
/// drop(other);
/// // The last clone is gone.
/// assert!(events.next().await.is_none());
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Hub {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    servers: Arc<Servers>,
    events: Events,
    calls: CallSettings,
    follow: Follow,
}

impl Hub {
    /// Returns a builder.
    pub fn builder() -> HubBuilder {
        HubBuilder::default()
    }

    /// Returns all servers with their states, in the order of the configuration.
    pub fn snapshot(&self) -> Vec<ServerSnapshot> {
        self.inner.servers.all().iter().map(|connection| connection.snapshot()).collect()
    }

    /// Returns a server with its state.
    pub fn server(&self, server: &str) -> Option<ServerSnapshot> {
        self.inner.servers.find(server).map(|connection| connection.snapshot())
    }

    /// Returns a stream of all events from now on. It ends with the hub.
    pub fn events(&self) -> EventStream {
        self.inner.events.stream()
    }

    /// Returns what a server offers, or offered when it was last connected. Empty before the first connection.
    pub fn catalog(&self, server: &str) -> Option<Arc<Catalog>> {
        self.inner.servers.find(server).map(|connection| connection.catalog())
    }

    /// Returns the last 100 errors of a server.
    pub fn troubles(&self, server: &str) -> Option<Vec<Trouble>> {
        self.inner.servers.find(server).map(|connection| connection.record().troubles())
    }

    /// Returns the last 500 lines of a server's stderr.
    pub fn stderr(&self, server: &str) -> Option<Vec<StderrLine>> {
        self.inner.servers.find(server).map(|connection| connection.record().stderr_lines())
    }

    /// Returns the problems of the configuration.
    pub fn problems(&self) -> Vec<Problem> {
        self.inner.servers.problems()
    }

    /// Waits until the first attempt to start each server has succeeded or failed, up to a limit. Includes servers that
    /// were enabled or changed before this call.
    ///
    /// Returns `false` after the limit. [`snapshot`](Self::snapshot) returns the states.
    pub async fn wait_until_ready(&self, limit: Duration) -> bool {
        let all = self.inner.servers.all();
        timeout(limit, join_all(all.iter().map(|connection| connection.ready()))).await.is_ok()
    }

    /// Restarts a server and returns its state after the first attempt; `None` if there is no such server.
    ///
    /// # Cancel safety
    ///
    /// The server restarts even if the future is dropped.
    pub async fn restart(&self, server: &str) -> Option<ServerState> {
        let connection = self.inner.servers.find(server)?;
        Some(connection.restart().await)
    }

    /// Reads the lists of a server again, if it is connected. Returns `false` if there is no such server.
    pub async fn refresh(&self, server: &str) -> bool {
        let Some(connection) = self.inner.servers.find(server) else { return false };
        connection.refresh().await;
        true
    }

    /// Notifies all connected servers that the [roots](crate::ClientHandlers::roots) have changed
    /// (`notifications/roots/list_changed`). Servers without a handshake are not notified: they request the roots when they
    /// need them.
    pub fn roots_changed(&self) {
        self.handlers().client_roots.changed();
    }

    /// Enables or disables the whole hub. While it is disabled, no server runs.
    pub fn set_enabled(&self, is_enabled: bool) {
        self.inner.servers.set_enabled(is_enabled);
    }

    /// Returns whether the hub is enabled.
    pub fn is_enabled(&self) -> bool {
        self.inner.servers.is_enabled()
    }

    /// Applies another configuration.
    ///
    /// New servers start, missing servers end, and a server restarts if the way to reach it has changed.
    /// All other changes apply to open connections at once, and calls in flight continue.
    /// A server of a project file starts only if it is [trusted](Self::trust).
    /// After the next change of a configuration file, [`HubBuilder::sources`] is in force again.
    pub fn apply(&self, configuration: Configuration) {
        self.inner.servers.apply(configuration);
        self.inner.follow.applied();
    }

    /// Ends all servers, for all clones, and waits until they are gone. This takes at most the
    /// [grace periods](HubBuilder::grace) and a few seconds.
    ///
    /// Afterwards each server that was starting, connected or reconnecting is [`Failed`](ServerState::Failed).
    ///
    /// # Cancel safety
    ///
    /// The servers end even if the future is dropped.
    pub async fn close(&self) {
        self.inner.follow.stop();
        for connection in self.inner.servers.close() {
            connection.cancelled().await;
        }
    }

    /// Trusts the definition with this [fingerprint](Configured::fingerprint) for the lifetime of the hub, and starts its
    /// server.
    ///
    /// A server of a project file does not start, and none of its variables gets a value, before the user or the program
    /// trusts its definition. Until then it is [`Disabled(Untrusted)`](crate::DisabledBy::Untrusted), or the user's own
    /// server of that name is used. A changed definition has another fingerprint: the server ends and needs trust again.
    ///
    /// Returns whether a server has this definition now. A definition that appears later is trusted too.
    pub fn trust(&self, fingerprint: impl Into<String>) -> bool {
        let is_present = self.inner.servers.trust(fingerprint.into());
        self.inner.follow.applied();
        is_present
    }

    /// Returns the enabled and disabled servers of project files without trust in their current definitions.
    pub fn untrusted(&self) -> Vec<Configured> {
        self.inner.servers.untrusted()
    }

    /// Returns what the connected servers offer, with this naming of tools and prompts.
    pub fn offers(&self, naming: Naming) -> Offers {
        Offers::new(naming, self.offering())
    }

    /// Returns the enabled tools of the connected servers, under their unique names ([`Naming::UNDERSCORES`]).
    pub fn tools(&self) -> Vec<NamedTool> {
        self.offers(Naming::default()).tools().to_vec()
    }

    fn offering(&self) -> Vec<Offering> {
        let offering = self.inner.servers.all().into_iter().map(|connection| {
            let (snapshot, catalog) = (connection.snapshot(), connection.catalog());
            let is_connected =
                matches!(snapshot.state, ServerState::Connected { .. } | ServerState::Reconnecting { .. });
            Offering { snapshot, catalog, is_connected }
        });
        offering.collect()
    }

    /// Returns all servers as one in-process MCP server of a session: a [`Gateway`].
    ///
    /// Served as `hub`, the tool `echo` of the server `everything` is `mcp__hub__everything__echo` in the CLI.
    /// The CLI's own permission rules apply first; the [approval](HubBuilder::approval) of the hub decides about the calls
    /// that the CLI permits.
    /// To set names or patience: `RmcpServer::new(Gateway::new(&hub).patience(…))`.
    #[cfg(feature = "session")]
    pub fn serve(&self) -> agentwire_mcp::RmcpServer<Gateway> {
        agentwire_mcp::RmcpServer::new(Gateway::new(self))
    }

    fn handlers(&self) -> &ClientHandlers {
        &self.inner.servers.setting().handlers
    }
}
