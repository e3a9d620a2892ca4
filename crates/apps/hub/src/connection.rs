//! One server: its desired state, its actual state, and the task that reconciles them.

mod allowed;
mod backoff;
mod desired;
mod failure;
mod keep_alive;
mod listen;
mod listings;
mod open;
mod slot;
mod subscriptions;
mod task;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    RoleClient,
    model::ServerPeerInfo,
    service::{Peer, RunningService},
};
use tokio::{sync::watch, time::timeout};
use tokio_util::sync::CancellationToken;

pub(crate) use self::{
    allowed::Allowed,
    desired::Desired,
    subscriptions::{Hold, Subscriptions},
    task::{Setting, Task},
};
pub use self::{backoff::Backoff, keep_alive::KeepAlive};
use crate::record::Record;
use crate::{
    Change, ServerName, ServerSnapshot, ServerState, catalog::Catalog, client::Client, config::Configured,
    event::Events, lock::locked,
};
use listings::Listings;

/// A handle to one server. Dropping it ends the server's task.
#[derive(Debug)]
pub(crate) struct Connection {
    core: Arc<Core>,
    desired: watch::Sender<Desired>,
    /// Cancelled to end the task.
    stop: CancellationToken,
}

/// The state that the handle and the task share.
#[derive(Debug)]
pub(crate) struct Core {
    name: ServerName,
    status: watch::Sender<Status>,
    offer: Mutex<Offer>,
    pub(crate) record: Arc<Record>,
    allowed: Allowed,
    subscriptions: Subscriptions,
    events: Events,
    /// Cancelled when the task has ended and the server is gone.
    ended: CancellationToken,
}

/// The actual state, and which desired state it belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    state: ServerState,
    /// The [`Desired::generation`] that the state belongs to.
    generation: u64,
    /// The [`Desired::listings`] that the catalog belongs to.
    listings: Listings,
    /// Whether each [`Stale`](crate::client::Stale) list was not read in time the last time.
    is_slow: [bool; 3],
    /// Whether the server was removed from the configuration. It sends no more events then.
    is_removed: bool,
}

/// The connection and the last known lists.
#[derive(Debug, Default)]
struct Offer {
    live: Option<Arc<Live>>,
    /// Kept while the connection is lost.
    catalog: Arc<Catalog>,
}

/// A connection that is open or has just ended.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) peer: Peer<RoleClient>,
    /// The server's information from the handshake.
    pub(crate) info: Option<Arc<ServerPeerInfo>>,
    /// Answers the server's requests.
    pub(crate) client: Client,
    /// The [`Desired::generation`] that it was opened for.
    pub(crate) generation: u64,
    /// Locked while a [`Stale`](crate::client::Stale) list is read again.
    readings: [tokio::sync::Mutex<()>; 3],
}

impl Live {
    fn new(service: &RunningService<RoleClient, Client>, generation: u64) -> Self {
        let (peer, client) = (service.peer().clone(), service.service().clone());
        Self { info: peer.peer_info(), client, peer, generation, readings: Default::default() }
    }

    /// Returns whether the server uses a version without a handshake: it sends no requests, and supports
    /// `subscriptions/listen`.
    pub(crate) fn is_stateless(&self) -> bool {
        self.info.as_ref().is_some_and(|info| !info.protocol_version.has_initialize())
    }
}

impl Connection {
    /// Creates a server and its task, which the caller must run.
    ///
    /// The task waits until `predecessor` is cancelled: the end of an earlier server of the same name.
    pub(crate) fn new(
        desired: Desired,
        setting: Arc<Setting>,
        events: Events,
        predecessor: Option<CancellationToken>,
        (allowed, subscriptions): (Allowed, Subscriptions),
    ) -> (Self, Task) {
        let record = Arc::<Record>::default();
        allowed.lock().configure(&desired.configured.config, &[], &record);
        let (status, _) = watch::channel(Status {
            state: desired.first_state(),
            generation: desired.generation,
            listings: Listings::default(),
            is_slow: [false; 3],
            is_removed: false,
        });
        let core = Arc::new(Core {
            name: desired.configured.name.clone(),
            status,
            offer: Mutex::default(),
            record,
            allowed,
            subscriptions,
            events,
            ended: CancellationToken::new(),
        });
        let (desired, desired_rx) = watch::channel(desired);
        let stop = CancellationToken::new();
        let task = Task { core: Arc::clone(&core), desired_rx, stop: stop.clone(), setting, predecessor };
        (Self { core, desired, stop }, task)
    }

    pub(crate) fn name(&self) -> &ServerName {
        &self.core.name
    }

    /// Returns the current configuration.
    pub(crate) fn configured(&self) -> Arc<Configured> {
        Arc::clone(&self.desired.borrow().configured)
    }

    /// Returns a receiver of the desired state.
    pub(crate) fn follow(&self) -> watch::Receiver<Desired> {
        self.desired.subscribe()
    }

    /// Returns the desired state.
    pub(crate) fn desired(&self) -> Desired {
        self.desired.borrow().clone()
    }

    /// Returns the connection, if there is one.
    pub(crate) fn live(&self) -> Option<Arc<Live>> {
        locked(&self.core.offer).live.clone()
    }

    /// Returns the last known lists.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.core.catalog()
    }

    pub(crate) fn state(&self) -> ServerState {
        self.core.status.borrow().state.clone()
    }

    pub(crate) fn record(&self) -> &Record {
        &self.core.record
    }

    /// Returns the tool definitions that need no approval.
    pub(crate) fn allowed(&self) -> &Allowed {
        &self.core.allowed
    }

    /// Returns the subscriptions to its resources.
    pub(crate) fn subscriptions(&self) -> &Subscriptions {
        &self.core.subscriptions
    }

    pub(crate) fn snapshot(&self) -> ServerSnapshot {
        ServerSnapshot { configured: (*self.configured()).clone(), state: self.state() }
    }

    /// Changes the desired state, and wakes the task if it differs.
    pub(crate) fn want(&self, change: impl FnOnce(&mut Desired)) {
        self.desired.send_if_modified(|desired| {
            let before = desired.clone();
            change(desired);
            desired.count(&before);
            *desired != before
        });
    }

    /// Applies another configuration.
    pub(crate) fn configure(&self, configured: &Configured) {
        // The lock makes both changes visible together.
        let mut allowed = self.core.allowed.lock();
        // Even if the configuration is equal: its position in the file may differ.
        self.want(|desired| desired.configured = Arc::new(configured.clone()));
        allowed.configure(&configured.config, self.catalog().tools(), &self.core.record);
    }

    /// Restarts the server, and waits until the first attempt has succeeded or failed.
    ///
    /// Dropping the future does not stop the restart.
    pub(crate) async fn restart(&self) -> ServerState {
        self.want(|desired| desired.run += 1);
        self.ready().await.state
    }

    /// Waits until the actual state follows the desired state: the first attempt to start has succeeded or failed, or the
    /// server is disabled.
    pub(crate) async fn ready(&self) -> Status {
        let generation = self.desired.borrow().generation;
        let is_ready = |status: &Status| {
            status.generation >= generation && !matches!(status.state, ServerState::Starting)
        };
        self.status(is_ready).await
    }

    /// Returns why the connection was lost, as soon as that is known: the end of a process is found after that of its output.
    pub(crate) async fn loss(&self) -> Option<Arc<str>> {
        let lost = self.status(|status| !matches!(status.state, ServerState::Connected { .. }));
        match timeout(LOSS, lost).await.ok()?.state {
            ServerState::Reconnecting { why, .. } | ServerState::Failed { why } => Some(why),
            ServerState::NeedsAuthentication { .. } => Some("it needs an authorization".into()),
            ServerState::Starting => Some("it was restarted".into()),
            ServerState::Disabled(_) => Some("it was disabled".into()),
            ServerState::Connected { .. } => None,
        }
    }

    /// Reports the removal from the configuration as the last event, and [stops](Self::stop) the server.
    pub(crate) fn remove(&self) {
        self.core.status.send_modify(|status| {
            self.core.events.send(Some(self.core.name.clone()), Change::Removed);
            status.is_removed = true;
        });
        self.stop();
    }

    /// Ends the server and its task. [`ended`](Self::ended) is cancelled when they are gone.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Returns the token that is cancelled when the server is gone.
    pub(crate) fn ended(&self) -> &CancellationToken {
        &self.core.ended
    }

    /// Waits for a status or the end.
    async fn status(&self, is_wanted: impl FnMut(&Status) -> bool) -> Status {
        let mut status = self.core.status.subscribe();
        tokio::select! {
            _ = status.wait_for(is_wanted) => {}
            () = self.core.ended.cancelled() => {}
        }
        self.core.status.borrow().clone()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Core {
    fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&locked(&self.offer).catalog)
    }

    /// Sets and reports a state. A state equal to the last one is not reported again.
    fn set(&self, state: ServerState, generation: u64) {
        self.status.send_modify(|status| {
            let is_new = match (&status.state, &state) {
                (ServerState::Starting, ServerState::Starting) => status.generation != generation,
                (ServerState::Disabled(before), ServerState::Disabled(now)) => before != now,
                _ => true,
            };
            status.state = state.clone();
            status.generation = generation;
            if is_new {
                self.report_of(status, Change::State(state));
            }
        });
    }

    /// Sets the connection and its lists.
    fn connect(&self, live: Arc<Live>, catalog: Catalog, desired_rx: &watch::Receiver<Desired>) {
        // The lists first: a call finds the connection before its lists.
        self.replace_catalog(&live, catalog, desired_rx);
        locked(&self.offer).live = Some(live);
    }

    /// Replaces the lists. Notes the definitions of listed tools first; the lock makes both changes visible together.
    fn replace_catalog(&self, live: &Live, catalog: Catalog, desired_rx: &watch::Receiver<Desired>) {
        let mut allowed = self.allowed.lock();
        let desired = desired_rx.borrow().clone();
        // Otherwise the connection is about to end, and the tools belong to another server.
        if desired.generation == live.generation {
            allowed.list(&desired.configured.config, catalog.tools(), &self.record);
        }
        locked(&self.offer).catalog = Arc::new(catalog);
    }

    /// Removes the connection.
    fn disconnect(&self) {
        locked(&self.offer).live = None;
    }

    /// Sets the final state at the end of the task.
    fn finish(&self, why: &str) {
        self.disconnect();
        self.status.send_if_modified(|status| {
            let is_standing = matches!(
                status.state,
                ServerState::Starting | ServerState::Connected { .. } | ServerState::Reconnecting { .. }
            );
            if is_standing {
                let why = if status.is_removed { "it was removed from the configuration" } else { why };
                status.state = ServerState::Failed { why: why.into() };
                self.report_of(status, Change::State(status.state.clone()));
            }
            is_standing
        });
    }

    fn report(&self, change: Change) {
        self.status.send_if_modified(|status| {
            self.report_of(status, change);
            false
        });
    }

    /// Sends an event while the status is locked: after the removal of a server, another one may have its name.
    fn report_of(&self, status: &Status, change: Change) {
        if !status.is_removed {
            self.events.send(Some(self.name.clone()), change);
        }
    }
}

/// The time to find out why a connection was lost: longer than a process has to exit.
const LOSS: Duration = Duration::from_millis(1500);
