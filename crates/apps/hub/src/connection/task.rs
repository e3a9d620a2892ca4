//! The task of one server: starts it, keeps it connected, refreshes its lists and ends it.

use std::{
    convert::Infallible,
    future::pending,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, SystemTime},
};

use agentwire_transport::process::Grace;
use futures_util::{FutureExt as _, future::join_all};
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    Backoff, Core, Desired, KeepAlive, Live,
    backoff::RestartLimiter,
    failure::{Failure, explain, lost, silent},
    keep_alive::silence,
    listings::Listings,
    open::{Opened, open},
    slot::Slot,
};
#[cfg(feature = "auth")]
use crate::oauth::Book;
#[cfg(feature = "http")]
use crate::transport::link::DisconnectReason;
use crate::{
    Change, ClientHandlers, ListProblem, ServerState,
    catalog::Catalog,
    client::{Client, Lifecycle, Stale, StaleLists},
    config::{Configured, Launch, Resolved, Variables, resolve},
    handlers::RootChanges,
    lock::locked,
};

/// The settings of all servers of a hub.
#[derive(Debug, Default)]
pub(crate) struct Setting {
    pub(crate) variables: Variables,
    pub(crate) handlers: Arc<ClientHandlers>,
    pub(crate) grace: Grace,
    pub(crate) backoff: Backoff,
    pub(crate) keep_alive: KeepAlive,
    /// Cancelled when the files of the first servers are watched, or can't be. No server starts earlier.
    pub(crate) files_watched: CancellationToken,
    #[cfg(feature = "auth")]
    pub(crate) book: Book,
}

impl Setting {
    /// Returns a configuration with the values of its variables, or the reason why there is none.
    pub(crate) async fn resolve(&self, configured: &Configured) -> Result<Resolved, String> {
        if !configured.is_trusted {
            return Err("its definition is not trusted".to_owned());
        }
        // This calls the program's code, which may panic.
        match AssertUnwindSafe(resolve(configured, &self.variables)).catch_unwind().await {
            Ok(resolved) => resolved.map_err(|problems| {
                let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
                problems.join("; ")
            }),
            Err(_) => Err("the source of the values of variables has panicked".to_owned()),
        }
    }
}

/// The task of one server. Dropping it ends the server.
pub(crate) struct Task {
    pub(super) core: Arc<Core>,
    pub(super) desired_rx: watch::Receiver<Desired>,
    pub(super) stop: CancellationToken,
    pub(super) setting: Arc<Setting>,
    /// The end of the earlier server of this name.
    pub(super) predecessor: Option<CancellationToken>,
}

/// Reports the end, even if the task was never run.
impl Drop for Task {
    fn drop(&mut self) {
        self.core.finish(CLOSED);
        self.core.ended.cancel();
    }
}

/// Why there is no connection.
enum End {
    Failed { failure: Failure, why: String },
    Lost { why: String, uptime: Duration },
}

impl Task {
    /// Runs until the task is stopped and the server is gone.
    pub(crate) async fn run(self) {
        // Even if this task is stopped already: the next server of this name waits only for the end of this one.
        if let Some(predecessor) = self.predecessor.clone() {
            predecessor.cancelled_owned().await;
        }
        let mut slot = Slot::new(Arc::clone(&self.core.record));
        let followed = tokio::select! {
            biased;
            () = self.stop.clone().cancelled_owned() => Ok(()),
            followed = AssertUnwindSafe(self.follow(&mut slot)).catch_unwind() => followed.map(drop),
        };
        self.core.finish(if followed.is_ok() { CLOSED } else { "its task has panicked" });
        slot.end().await;
    }

    /// Follows the desired state until its sender is gone.
    async fn follow(&self, slot: &mut Slot) -> Result<Infallible, watch::error::RecvError> {
        let mut desired_rx = self.desired_rx.clone();
        let mut limiter = RestartLimiter::default();
        let mut listed = Arc::clone(&desired_rx.borrow().configured);
        loop {
            let since = Instant::now();
            let desired = desired_rx.borrow_and_update().clone();
            if desired.configured.config.launch != listed.config.launch {
                // The lists belong to another server.
                locked(&self.core.offer).catalog = Arc::default();
            }
            listed = Arc::clone(&desired.configured);
            self.core.set(desired.first_state(), desired.generation);
            tokio::select! {
                biased;
                replaced = desired_rx.wait_for(|newer| newer.generation != desired.generation) => {
                    replaced?;
                    limiter = RestartLimiter::default();
                }
                () = self.touched(&desired, since, &mut limiter), if desired.disabled().is_none() => {}
                never = self.stay_connected(&desired, slot), if desired.disabled().is_none() => match never {},
            }
            self.core.disconnect();
            let next = desired_rx.borrow().clone();
            self.core.set(next.first_state(), next.generation);
            slot.end().await;
        }
    }

    /// Waits until a file that the server depends on has changed and the restart is due.
    async fn touched(&self, desired: &Desired, mut since: Instant, limiter: &mut RestartLimiter) {
        let mut desired_rx = self.desired_rx.clone();
        let mut seen = desired.touched;
        loop {
            let newer = wanted(&mut desired_rx, |now| now.touched != seen).await.touched;
            if let Some(wait) = limiter.wait(&self.setting.backoff, since.elapsed()) {
                return sleep(wait).await;
            }
            self.core.record.note(TOUCHES_ITSELF);
            (seen, since) = (newer, Instant::now());
        }
    }

    /// Connects, and reconnects after losses and authorizations elsewhere. Waits forever once the state is final.
    async fn stay_connected(&self, desired: &Desired, slot: &mut Slot) -> Infallible {
        self.setting.files_watched.cancelled().await;
        let mut losses = 0;
        let mut lifecycle = Lifecycle::default();
        loop {
            let end = self.connect(desired, slot, &mut lifecycle).await;
            self.core.disconnect();
            let (End::Failed { why, .. } | End::Lost { why, .. }) = &end;
            self.core.record.note(why);
            let what =
                if matches!(end, End::Failed { .. }) { "could not connect" } else { "the connection ended" };
            tracing::warn!(server = %self.core.name, "{what}; the server's record has the reason");
            if matches!(end, End::Lost { uptime, .. } if uptime >= self.setting.backoff.steady) {
                losses = 0;
            }
            let state = self.after(&end, why, losses);
            let wait = self.setting.backoff.wait(losses.saturating_add(1));
            let is_over = !matches!(state, ServerState::Reconnecting { .. });
            #[cfg(feature = "http")]
            let tokens =
                slot.tokens.take().filter(|_| matches!(state, ServerState::NeedsAuthentication { .. }));
            self.core.set(state, desired.generation);
            slot.end().await;
            #[cfg(feature = "http")]
            if let Some(tokens) = tokens {
                tokens.replaced().await;
                continue;
            }
            if is_over {
                return pending().await;
            }
            losses = losses.saturating_add(1);
            sleep(wait).await;
        }
    }

    /// Returns the state after a failure or a loss, with this number of earlier losses in a row.
    fn after(&self, end: &End, why: &str, losses: u32) -> ServerState {
        let is_program = matches!(self.desired_rx.borrow().configured.config.launch, Launch::Stdio(_));
        let backoff = &self.setting.backoff;
        let is_final = match end {
            #[cfg(feature = "http")]
            End::Failed { failure: Failure::Web(DisconnectReason::Unauthorized { challenge }), .. } => {
                return ServerState::NeedsAuthentication { challenge: challenge.clone() };
            }
            End::Failed { failure, .. } => failure.is_final() || is_program && losses == 0,
            End::Lost { .. } => false,
        };
        if is_final {
            return ServerState::Failed { why: why.into() };
        }
        if is_program && losses >= backoff.restarts {
            let why = format!("not restarted again after {losses} restarts in a row; last failure: {why}");
            return ServerState::Failed { why: why.into() };
        }
        let now = SystemTime::now();
        // The delay may exceed what the clock can represent.
        let next = now.checked_add(backoff.wait(losses.saturating_add(1))).unwrap_or(now + FAR);
        ServerState::Reconnecting { attempt: losses, next, why: why.into() }
    }

    /// Opens a connection, and serves it until it ends.
    async fn connect(&self, desired: &Desired, slot: &mut Slot, lifecycle: &mut Lifecycle) -> End {
        let Desired { configured, listings, .. } = self.desired_rx.borrow().clone();
        let stale = StaleLists::default();
        let roots = self.setting.handlers.client_roots.follow();
        let client = Client::new(self.core.name.clone(), Arc::clone(&self.setting.handlers), stale.clone());
        // Outside of the limit: the user may be asked for a value.
        let opened = match self.setting.resolve(&configured).await {
            Ok(resolved) => {
                let config = &configured.config;
                open(&self.core, config, resolved, &self.setting, client, slot, lifecycle).await
            }
            Err(why) => Err(Failure::Unresolved(why)),
        };
        match opened {
            Ok(opened) => self.serve_connection(opened, stale, roots, listings, desired, slot).await,
            Err(failure) => End::Failed { why: explain(&failure, slot.child.as_ref()).await, failure },
        }
    }

    /// Serves a connection until it ends.
    async fn serve_connection(
        &self,
        opened: Opened,
        stale: StaleLists,
        roots: RootChanges,
        mut listings: Listings,
        desired: &Desired,
        slot: &mut Slot,
    ) -> End {
        let since = Instant::now();
        let Opened { service, catalog, listed } = opened;
        listings.since = [Some(listed); 3];
        let live = Arc::new(Live::new(&service, desired.generation));
        slot.serve(service);
        // The new connection has no subscriptions, so released ones need no cancellation.
        self.core.subscriptions.take_released();
        let subscribed = self.core.subscriptions.all();
        self.note_problems(&catalog, &Catalog::default());
        self.core.connect(Arc::clone(&live), catalog, &self.desired_rx);
        self.core.status.send_modify(|status| status.listings = listings);
        self.core.set(ServerState::connected(live.info.as_deref()), desired.generation);
        let keep_alive = self.setting.keep_alive;
        let limit = self.desired_rx.borrow().configured.config.timeout;
        #[cfg(feature = "http")]
        let handshakes = slot.link.as_ref().map(|link| link.handshakes());
        #[cfg(not(feature = "http"))]
        let handshakes = None;
        let follow = async {
            tokio::join!(
                self.follow_lists(&live, stale, listings.all),
                self.core.listen(&live, limit),
                report_roots(&live, roots),
                self.core.subscriptions.keep(subscribed, handshakes, &live, limit, &self.core.record)
            )
        };
        let is_silent = tokio::select! {
            () = slot.over() => false,
            () = live.client.inbound.end.cancelled() => false,
            () = silence(&live, keep_alive, &self.core.record) => true,
            (never, ..) = follow => match never {},
        };
        if is_silent {
            let why = silent(keep_alive.limit, slot.child.as_ref());
            return End::Lost { why, uptime: since.elapsed() };
        }
        #[cfg(feature = "http")]
        if let Some(ended) = slot.link.as_ref().and_then(|link| link.ended()) {
            let why = ended.to_string();
            return match ended {
                DisconnectReason::Lost(_) => End::Lost { why, uptime: since.elapsed() },
                ended => End::Failed { failure: ended.into(), why },
            };
        }
        let why = lost(slot.child.as_ref()).await;
        End::Lost { why, uptime: since.elapsed() }
    }

    /// Reads lists again after changes and on request.
    async fn follow_lists(&self, live: &Live, stale: StaleLists, listing: u64) -> Infallible {
        let (never, ..) = tokio::join!(
            self.report_lists(live, stale, listing),
            self.reread(live, Stale::Tools),
            self.reread(live, Stale::Resources),
            self.reread(live, Stale::Prompts)
        );
        never
    }

    /// Reads lists again after changes, and all lists on request, and reports them.
    async fn report_lists(&self, live: &Live, stale: StaleLists, mut listing: u64) -> Infallible {
        let mut desired_rx = self.desired_rx.clone();
        let mut rested = Instant::now();
        loop {
            let due = tokio::select! {
                due = wanted(&mut desired_rx, |now| now.listings.all > listing) => {
                    listing = due.listings.all;
                    None
                }
                one = async { sleep_until(rested).await; stale.recv().await } => Some(one),
            };
            let limit = self.desired_rx.borrow().configured.config.timeout;
            let kinds = KINDS.into_iter().filter(|(kind, _)| due.is_none_or(|due| due == *kind));
            let _waits = live.client.inbound.activity.wait();
            join_all(kinds.clone().map(|(kind, _)| self.read(live, kind, limit))).await;
            kinds.for_each(|(_, change)| self.core.report(change));
            rested = Instant::now() + MIN_LIST_INTERVAL;
            self.core.status.send_modify(|status| status.listings.all = listing);
        }
    }

    /// Reads one kind of list again, within the limit.
    pub(super) async fn read(&self, live: &Live, kind: Stale, limit: Duration) {
        // Otherwise an earlier reading could replace the list of a later one.
        let _reading = live.readings[kind as usize].lock().await;
        let start = Instant::now();
        let newer = self.core.catalog().refreshed(&live.peer, kind, limit).await;
        // Other lists may have been read meanwhile.
        let now = self.core.catalog();
        let newer = Catalog::clone(&now).with(kind, newer);
        if !newer.is_same(&now) {
            self.note_problems(&newer, &now);
            self.core.replace_catalog(live, newer, &self.desired_rx);
        }
        let (elapsed, patience) = (start.elapsed(), self.desired_rx.borrow().patience);
        self.core.status.send_modify(|status| {
            status.listings.since[kind as usize] = Some(start);
            // A reading with a longer limit than the patience of clients may be complete and slow.
            let is_slow = &mut status.is_slow[kind as usize];
            *is_slow = elapsed >= limit || *is_slow && elapsed >= patience;
        });
    }

    /// Adds the problems that the earlier catalog does not have to the record.
    fn note_problems(&self, catalog: &Catalog, earlier: &Catalog) {
        let is_new = |problem: &ListProblem| earlier.problems().all(|known| known != *problem);
        catalog.problems().filter(is_new).for_each(|problem| self.core.record.note(&problem.to_string()));
    }
}

/// Notifies the server of each change of the roots.
async fn report_roots(live: &Live, mut roots: RootChanges) {
    // Versions without a handshake have no such notification.
    while !live.is_stateless() && live.client.has_roots() && roots.changed().await.is_ok() {
        // The end of the connection is noticed elsewhere.
        let _ = live.peer.notify_roots_list_changed().await;
    }
}

/// Waits for a desired state.
pub(super) async fn wanted(
    desired_rx: &mut watch::Receiver<Desired>,
    is_wanted: impl Fn(&Desired) -> bool,
) -> Desired {
    let newer = desired_rx.wait_for(is_wanted).await.map(|desired| desired.clone());
    match newer {
        Ok(newer) => newer,
        // The task is about to be stopped.
        Err(_) => pending().await,
    }
}

/// The shortest time between two listings, for a server that sends many `list_changed` notifications.
const MIN_LIST_INTERVAL: Duration = Duration::from_millis(100);

/// Used if the next attempt is beyond the clock's range.
const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

const TOUCHES_ITSELF: &str = "its watched files change after each start, perhaps because it writes them itself; it is \
     not restarted until they stay unchanged for a while";

const CLOSED: &str = "the hub was closed";

const KINDS: [(Stale, Change); 3] =
    [(Stale::Tools, Change::Tools), (Stale::Resources, Change::Resources), (Stale::Prompts, Change::Prompts)];
