//! Listings on request: those that are wanted, and those that are finished.

use std::{convert::Infallible, time::Duration};

use tokio::time::{Instant, sleep_until, timeout};

use super::{Connection, Live, Task, task::wanted};
use crate::{ServerState, client::Stale};

/// A server's desired state has the requested listings, and its actual state the finished ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Listings {
    /// The number of listings of all lists together.
    pub(super) all: u64,
    /// For each [`Stale`] list, the time from which a reading is wanted, or the start of the last one.
    pub(super) since: [Option<Instant>; 3],
}

impl Connection {
    /// Reads a list again, because a client requests it or an item is missing, and waits for `patience`. The last known list
    /// stays if that takes too long.
    ///
    /// Does not wait for a list that took too long the last time. If the server reports its changes, a requested list is
    /// only read if it is older than [`MAX_LIST_AGE`], and the client does not wait for it.
    pub(crate) async fn reread(&self, list: Stale, is_missing: bool, patience: Duration) {
        let Some(reports) = self.live().and_then(|live| live.reports(list)) else { return };
        if patience.is_zero() {
            return;
        }
        let is_reported = reports && !is_missing;
        let since = Instant::now().checked_sub(if is_reported { MAX_LIST_AGE } else { Duration::ZERO });
        let list = list as usize;
        self.want(|desired| {
            desired.patience = patience;
            desired.listings.since[list] = desired.listings.since[list].max(since);
        });
        let waits = !is_reported && !self.core.status.borrow().is_slow[list];
        if waits && timeout(patience, self.listed(|read| read.since[list] >= since)).await.is_err() {
            self.core.status.send_modify(|status| status.is_slow[list] = true);
        }
    }

    /// Reads all lists of a connected server again.
    pub(crate) async fn refresh(&self) {
        let mut all = 0;
        self.want(|desired| {
            desired.listings.all += 1;
            all = desired.listings.all;
        });
        self.listed(|read| read.all >= all).await;
    }

    /// Waits for listings, or until the server is not connected.
    async fn listed(&self, is_done: impl Fn(&Listings) -> bool) {
        self.status(|status| {
            is_done(&status.listings) || !matches!(status.state, ServerState::Connected { .. })
        })
        .await;
    }
}

impl Task {
    /// Reads one kind of list again when clients request it, within their patience.
    ///
    /// If the server reports its changes, its own limit applies: a slow list is complete for the next request. Readings start
    /// at least [`MAX_LIST_AGE`] or half of the patience apart, because misspelled names cause readings too.
    ///
    /// Reports no change: otherwise clients would list forever if the list differs each time. The server can be pinged
    /// meanwhile: otherwise clients that request lists of a server that hangs would keep it from being noticed.
    pub(super) async fn reread(&self, live: &Live, kind: Stale) -> Infallible {
        let mut desired_rx = self.desired_rx.clone();
        let last = || self.core.status.borrow().listings.since[kind as usize];
        let reports = live.reports(kind) == Some(true);
        loop {
            let due = wanted(&mut desired_rx, |now| now.listings.since[kind as usize] > last()).await;
            // Half of the patience is left to the reading.
            let rest = MAX_LIST_AGE.min(due.patience / 2);
            if reports && let Some(last) = last().filter(|last| last.elapsed() < rest) {
                sleep_until(last + rest).await;
                continue;
            }
            let limit = due.configured.config.timeout;
            self.read(live, kind, if reports { limit } else { limit.min(due.patience) }).await;
        }
    }
}

/// The age up to which a list of a server that reports its changes is not read again when a client requests it.
const MAX_LIST_AGE: Duration = Duration::from_secs(1);
