//! All servers of a program as one value.

#[cfg(feature = "auth")]
mod authorization;
#[cfg(feature = "auth")]
mod authorize;
mod builder;
mod call;
mod edit;
mod follow;
mod gateway;
#[cfg(feature = "auth")]
mod loopback;
mod offers;
mod read;
mod reload;
mod remember;
mod trust;

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use self::follow::Follow;
#[cfg(feature = "auth")]
pub use self::{
    authorization::{Authorization, AuthorizeError},
    loopback::Loopback,
};
pub use self::{builder::HubBuilder, gateway::Gateway};
use crate::{
    Catalog, EventStream, LogMessage, ServerSnapshot, ServerState, StderrLine, Trouble,
    call::Calls,
    config::{Configuration, Problem},
    connection::Connection,
    event::Events,
    servers::Servers,
};

/// All MCP servers of a program: kept connected, and configured anew while they run.
///
/// It follows the files that it is configured in: when one of them was changed the servers are as it says, and those are
/// restarted that are to be reached differently.
/// A file that is broken, or one server of it, stays as it last was, which [`problems`](Self::problems) tells.
/// A server is also restarted when something in its `watchPaths` was changed, an argument with `build/index.js` in it, or the
/// content of its file of variables.
///
/// A clone is cheap and is the same hub: share it between whatever uses the servers.
/// When the last clone is dropped the servers end, without anybody waiting for it; [`close`](Self::close) waits.
/// The processes of servers end, with all that they started, also where the runtime is shut down or this program is
/// killed.
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
/// // Nobody uses it any more.
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
    calls: Calls,
    follow: Follow,
}

impl Hub {
    /// A hub that is not there yet.
    pub fn builder() -> HubBuilder {
        HubBuilder::default()
    }

    /// The servers, in the order of the configuration, and how it stands with each.
    pub fn snapshot(&self) -> Vec<ServerSnapshot> {
        self.connections().iter().map(|connection| connection.snapshot()).collect()
    }

    /// How it stands with one server.
    pub fn server(&self, server: &str) -> Option<ServerSnapshot> {
        self.connection(server).map(|connection| connection.snapshot())
    }

    /// What happens from now on.
    ///
    /// It ends with the hub.
    pub fn events(&self) -> EventStream {
        self.inner.events.stream()
    }

    /// What a server offers, or offered when it was last connected; empty before that.
    pub fn catalog(&self, server: &str) -> Option<Arc<Catalog>> {
        self.connection(server).map(|connection| connection.catalog())
    }

    /// What went wrong with a server: the last 100 things.
    pub fn troubles(&self, server: &str) -> Option<Vec<Trouble>> {
        self.connection(server).map(|connection| connection.record().troubles())
    }

    /// What a server wrote to its stderr: the last 500 lines.
    pub fn stderr(&self, server: &str) -> Option<Vec<StderrLine>> {
        self.connection(server).map(|connection| connection.record().stderr_lines())
    }

    /// What a server logged since it was connected: the last 100 messages.
    pub fn logs(&self, server: &str) -> Option<Vec<LogMessage>> {
        let live = self.connection(server)?.live();
        Some(live.map_or_else(Vec::new, |live| live.back.logs.messages()))
    }

    /// What is wrong with the configuration.
    pub fn problems(&self) -> Vec<Problem> {
        self.inner.servers.problems()
    }

    /// Waits until the first attempt to start has succeeded or failed with each server, for no longer than a limit.
    /// It counts what was wanted before this was called: servers that were switched on or changed are waited for anew.
    ///
    /// Tells whether that is so; [`snapshot`](Self::snapshot) tells the rest.
    pub async fn wait_until_ready(&self, limit: Duration) -> bool {
        let all = async {
            for connection in self.connections() {
                connection.ready().await;
            }
        };
        timeout(limit, all).await.is_ok()
    }

    /// Ends a server and starts it anew, and tells how it stands after the first attempt; `None` where there is no such
    /// server.
    ///
    /// It is restarted also where the future is dropped.
    pub async fn restart(&self, server: &str) -> Option<ServerState> {
        let connection = self.connection(server)?;
        Some(connection.restart().await)
    }

    /// As [`restart`](Self::restart), with all servers at the same time.
    pub async fn restart_all(&self) {
        let all = self.connections();
        futures_util::future::join_all(all.iter().map(|connection| connection.restart())).await;
    }

    /// Has a server say anew what it offers; `false` where there is no such server.
    ///
    /// Nothing is done where it is not connected.
    pub async fn refresh(&self, server: &str) -> bool {
        let Some(connection) = self.connection(server) else { return false };
        connection.refresh().await;
        true
    }

    /// As [`refresh`](Self::refresh), with all servers at the same time.
    pub async fn refresh_all(&self) {
        let all = self.connections();
        futures_util::future::join_all(all.iter().map(|connection| connection.refresh())).await;
    }

    /// Reports to all connected servers that the [roots](crate::Handlers::roots) have changed
    /// (`notifications/roots/list_changed`). Servers without a handshake get no report: they ask when they need the roots.
    pub fn roots_changed(&self) {
        self.calls().roots.changed();
    }

    /// The switch of the whole hub: off, no server runs, whatever is configured.
    pub fn set_enabled(&self, is_enabled: bool) {
        self.inner.servers.set_enabled(is_enabled);
    }

    /// Whether the hub is switched on.
    pub fn is_enabled(&self) -> bool {
        self.inner.servers.is_enabled()
    }

    /// Has the servers follow another configuration.
    ///
    /// New ones are started, missing ones ended, and those restarted that are to be reached differently.
    /// Everything else applies at once, to connections that stand, and calls under way go on.
    /// Servers of a project's files are started only where they are [trusted](Self::trust).
    /// When a file of the configuration is changed what [`HubBuilder::sources`] says is in force again.
    pub fn apply(&self, configuration: Configuration) {
        self.inner.servers.apply(configuration);
        self.inner.follow.applied();
    }

    /// Ends all servers, also for the other clones, and returns when nothing is left of them.
    ///
    /// That takes no longer than the [graces](HubBuilder::grace) of processes and a few seconds.
    /// Dropping the future lets them end all the same.
    /// Servers that were not off or failed are [`Failed`](ServerState::Failed) from then on: the hub was closed.
    pub async fn close(&self) {
        self.inner.follow.stop();
        for connection in self.inner.servers.close() {
            connection.cancelled().await;
        }
    }

    fn servers(&self) -> &Servers {
        &self.inner.servers
    }

    fn connection(&self, server: &str) -> Option<Arc<Connection>> {
        self.inner.servers.find(server)
    }

    /// How calls are treated.
    fn calls(&self) -> &Calls {
        &self.inner.calls
    }

    fn connections(&self) -> Vec<Arc<Connection>> {
        self.inner.servers.all()
    }
}
