//! One server: what is wanted of it, how it stands, and the task that makes the one follow the other.

mod allowed;
mod backoff;
mod desired;
mod failure;
mod keep_alive;
mod listen;
mod open;
mod slot;
mod spacing;
mod subscriptions;
mod task;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::{
    RoleClient,
    model::ServerPeerInfo,
    service::{Peer, RunningService},
};
use tokio::sync::watch;
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
    Change, ServerName, ServerSnapshot, ServerState,
    catalog::Catalog,
    client::{Back, Client},
    config::Configured,
    event::Events,
};
use allowed::Definitions;

/// One server. Its task lives in the hub, and ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    core: Arc<Core>,
    desired: watch::Sender<Desired>,
    /// Ends the task.
    stop: CancellationToken,
}

/// What the connection and its task share.
#[derive(Debug)]
pub(crate) struct Core {
    name: ServerName,
    status: watch::Sender<Status>,
    offer: Mutex<Offer>,
    pub(crate) record: Arc<Record>,
    allowed: Allowed,
    subscriptions: Subscriptions,
    events: Events,
    /// Cancelled when the task has ended, and nothing is left of the server.
    ended: CancellationToken,
}

/// How it stands, and which wishes that follows.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    state: ServerState,
    /// The [`Desired::generation`] that the state is of.
    generation: u64,
    /// The [`Desired::listing`] that the catalog is of.
    listing: u64,
    /// Whether the server is configured no more: nothing is told of it then.
    is_removed: bool,
}

/// What the server offers, as far as is known.
#[derive(Debug, Default)]
struct Offer {
    live: Option<Arc<Live>>,
    /// Kept while the connection is lost.
    catalog: Arc<Catalog>,
}

/// A connection that stands, or stood a moment ago.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) peer: Peer<RoleClient>,
    /// What the server said at the handshake.
    pub(crate) info: Option<Arc<ServerPeerInfo>>,
    /// What comes back beside answers.
    pub(crate) back: Back,
    /// Answers what the server asks.
    pub(crate) client: Client,
    /// The [`Desired::generation`] that it was opened for.
    pub(crate) generation: u64,
}

impl Live {
    fn new(service: &RunningService<RoleClient, Client>, generation: u64) -> Self {
        let (peer, client) = (service.peer().clone(), service.service().clone());
        Self { info: peer.peer_info(), back: client.back(), client, peer, generation }
    }

    /// Whether the server speaks a version without a handshake: it sends no requests, and answers `subscriptions/listen`.
    pub(crate) fn is_stateless(&self) -> bool {
        self.info.as_ref().is_some_and(|info| !info.protocol_version.has_initialize())
    }
}

impl Connection {
    /// A server and the task that sees to it, which is to be run.
    ///
    /// It begins once `after` is cancelled, where there was a server of the same name before.
    pub(crate) fn new(
        desired: Desired,
        setting: Arc<Setting>,
        events: Events,
        after: Option<CancellationToken>,
    ) -> (Self, Task) {
        let (status, _) = watch::channel(Status {
            state: desired.first_state(),
            generation: desired.generation,
            listing: 0,
            is_removed: false,
        });
        let core = Arc::new(Core {
            name: desired.configured.name.clone(),
            status,
            offer: Mutex::default(),
            record: Arc::default(),
            allowed: Allowed::new(&desired.config.launch),
            subscriptions: Subscriptions::default(),
            events,
            ended: CancellationToken::new(),
        });
        let (desired, wishes) = watch::channel(desired);
        let stop = CancellationToken::new();
        let task = Task::new(Arc::clone(&core), wishes, stop.clone(), setting, after);
        (Self { core, desired, stop }, task)
    }

    pub(crate) fn name(&self) -> &ServerName {
        &self.core.name
    }

    /// The configuration as it is now.
    pub(crate) fn configured(&self) -> Arc<Configured> {
        Arc::clone(&self.desired.borrow().configured)
    }

    /// What is wanted of the server, as it changes.
    pub(crate) fn follow(&self) -> watch::Receiver<Desired> {
        self.desired.subscribe()
    }

    /// What is wanted of the server now.
    pub(crate) fn desired(&self) -> Desired {
        self.desired.borrow().clone()
    }

    /// The connection, where there is one.
    pub(crate) fn live(&self) -> Option<Arc<Live>> {
        self.core.offer().live.clone()
    }

    /// What the server offers, or offered last.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.core.catalog()
    }

    pub(crate) fn state(&self) -> ServerState {
        self.core.status.borrow().state.clone()
    }

    pub(crate) fn record(&self) -> &Record {
        &self.core.record
    }

    /// The definitions of its tools that are called without a question.
    pub(crate) fn allowed(&self) -> &Allowed {
        &self.core.allowed
    }

    /// What is subscribed to of its resources.
    pub(crate) fn subscriptions(&self) -> &Subscriptions {
        &self.core.subscriptions
    }

    pub(crate) fn snapshot(&self) -> ServerSnapshot {
        ServerSnapshot { configured: (*self.configured()).clone(), state: self.state() }
    }

    /// Changes what is wanted, and wakes the task where that changes anything.
    pub(crate) fn want(&self, change: impl FnOnce(&mut Desired)) {
        self.desired.send_if_modified(|desired| {
            let before = desired.clone();
            change(desired);
            desired.count(&before);
            *desired != before
        });
    }

    /// Has it follow another configuration.
    pub(crate) fn configure(&self, configured: &Configured) {
        // Nobody may see the one without the other.
        let mut allowed = self.core.allowed.lock();
        self.want(|desired| desired.configure(configured));
        allowed.configure(&configured.config, self.catalog().tools(), &self.core.record);
    }

    /// Restarts it, and waits until the first attempt has succeeded or failed.
    ///
    /// Dropping the future changes nothing about the restart.
    pub(crate) async fn restart(&self) -> ServerState {
        self.want(|desired| desired.run += 1);
        self.ready().await.state
    }

    /// Has it say anew what it offers; at once where it is not connected.
    pub(crate) async fn refresh(&self) {
        let mut listing = 0;
        self.want(|desired| {
            desired.listing += 1;
            listing = desired.listing;
        });
        self.status(|status| {
            status.listing >= listing || !matches!(status.state, ServerState::Connected { .. })
        })
        .await;
    }

    /// Waits until it stands as is wanted by now: the first attempt to start has succeeded or failed, or it is off.
    pub(crate) async fn ready(&self) -> Status {
        let generation = self.desired.borrow().generation;
        let is_ready = |status: &Status| {
            status.generation >= generation && !matches!(status.state, ServerState::Starting)
        };
        self.status(is_ready).await
    }

    /// As [`stop`](Self::stop), because it is configured no more: that is the last that is told of it.
    pub(crate) fn remove(&self) {
        self.core.status.send_modify(|status| {
            self.core.events.tell(Some(self.core.name.clone()), Change::Removed);
            status.is_removed = true;
        });
        self.stop();
    }

    /// Ends the server and its task; [`ended`](Self::ended) tells when.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Is cancelled when nothing is left of the server.
    pub(crate) fn ended(&self) -> &CancellationToken {
        &self.core.ended
    }

    /// Waits for a status, or for the end.
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
    fn offer(&self) -> MutexGuard<'_, Offer> {
        self.offer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.offer().catalog)
    }

    /// Makes a state known; one that says nothing new is not told again.
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
                self.tell_of(status, Change::State(state));
            }
        });
    }

    /// A connection stands.
    fn connect(&self, live: Arc<Live>, catalog: Catalog, wishes: &watch::Receiver<Desired>) {
        let _allowed = self.allow(live.generation, &catalog, wishes);
        let mut offer = self.offer();
        offer.live = Some(live);
        offer.catalog = Arc::new(catalog);
    }

    /// The server offers something else.
    fn offer_anew(&self, live: &Live, catalog: Catalog, wishes: &watch::Receiver<Desired>) {
        let _allowed = self.allow(live.generation, &catalog, wishes);
        self.offer().catalog = Arc::new(catalog);
    }

    /// Takes in the tools that a connection lists, before anybody sees them in the catalog.
    fn allow(
        &self,
        generation: u64,
        catalog: &Catalog,
        wishes: &watch::Receiver<Desired>,
    ) -> MutexGuard<'_, Definitions> {
        let mut allowed = self.allowed.lock();
        let wish = wishes.borrow();
        // Otherwise the connection is about to end, and its tools are another server's.
        if wish.generation == generation {
            allowed.list(&wish.config, catalog.tools(), &self.record);
        }
        allowed
    }

    /// The catalog is of this listing.
    fn listed(&self, listing: u64) {
        self.status.send_modify(|status| status.listing = listing);
    }

    /// No connection stands.
    fn disconnect(&self) {
        self.offer().live = None;
    }

    /// The task is at its end: no connection stands, and none will.
    fn finish(&self, why: &str) {
        self.disconnect();
        self.status.send_if_modified(|status| {
            let is_standing = matches!(
                status.state,
                ServerState::Starting | ServerState::Connected { .. } | ServerState::Reconnecting { .. }
            );
            if is_standing {
                status.state = ServerState::Failed { why: why.into() };
                self.tell_of(status, Change::State(status.state.clone()));
            }
            is_standing
        });
    }

    fn tell(&self, change: Change) {
        self.status.send_if_modified(|status| {
            self.tell_of(status, change);
            false
        });
    }

    /// Tells something while the status can't change, so that a server that is removed is not heard of again: another
    /// may have its name by then.
    fn tell_of(&self, status: &Status, change: Change) {
        if !status.is_removed {
            self.events.tell(Some(self.name.clone()), change);
        }
    }
}
