//! The subscriptions to resources of a server, which each connection makes again.
#![expect(deprecated, reason = "servers with a handshake have no other way")]

use std::{
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
    future::pending,
    time::Duration,
};

use agentwire_net::excerpt;
use rmcp::{
    ServiceError,
    model::{SubscribeRequestParams, UnsubscribeRequestParams},
};
use tokio::{sync::watch, time::timeout};

use super::{Live, Record};
use crate::outcome::is_of_transport;

/// The subscribed URIs, independent of connections. Clones share the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subscriptions(watch::Sender<Holders>);

/// The holders of each URI: the program and clients of gateways. A URI without holders must still be cancelled at the server.
#[derive(Debug, Default)]
pub(super) struct Holders {
    uris: BTreeMap<String, BTreeSet<u64>>,
    /// The number of the last hold.
    last: u64,
}

impl Holders {
    /// Returns the URIs with holders.
    pub(super) fn uris(&self) -> impl Iterator<Item = &String> {
        self.uris.iter().filter(|(_, holders)| !holders.is_empty()).map(|(uri, _)| uri)
    }

    /// Adds a holder. Returns whether it is the only one of the URI, or `None` beyond the limit.
    fn add(&mut self, uri: &str, holder: u64) -> Option<bool> {
        if self.uris.len() >= MAX && !self.uris.contains_key(uri) {
            return None;
        }
        let holders = self.uris.entry(uri.to_owned()).or_default();
        holders.insert(holder);
        Some(holders.len() == 1)
    }
}

/// A subscription to one resource for a client of a gateway. Dropping it releases the subscription; the connection's task
/// cancels it at the server if it has no other holder.
#[derive(Debug)]
pub(crate) struct Hold {
    subscriptions: Subscriptions,
    uri: String,
    holder: u64,
}

impl Hold {
    /// Makes this a subscription of the program, too, which lasts until it is [removed](Subscriptions::remove).
    pub(crate) fn keep(&self) {
        self.subscriptions.0.send_if_modified(|all| all.add(&self.uri, PROGRAM) == Some(true));
    }

    /// Releases a subscription that the server has refused, so there is nothing to cancel.
    pub(crate) fn refused(&self) {
        self.subscriptions.forget(&self.uri, self.holder);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.subscriptions.0.send_if_modified(|all| {
            let holders = all.uris.get_mut(&self.uri);
            holders.is_some_and(|holders| holders.remove(&self.holder) && holders.is_empty())
        });
    }
}

impl Subscriptions {
    /// Removes a subscription of the program. Returns whether a client still holds it.
    pub(crate) fn remove(&self, uri: &str) -> bool {
        self.forget(uri, PROGRAM);
        self.is_held(uri)
    }

    /// Adds a subscription of a client. Returns `None` beyond the limit.
    pub(crate) fn hold(&self, uri: &str) -> Option<Hold> {
        let mut holder = None;
        self.0.send_if_modified(|all| {
            all.last += 1;
            let is_only = all.add(uri, all.last);
            holder = is_only.map(|_| all.last);
            // A stream of changes already has the URI if there are other holders.
            is_only == Some(true)
        });
        Some(Hold { subscriptions: self.clone(), uri: uri.to_owned(), holder: holder? })
    }

    pub(crate) fn is_held(&self, uri: &str) -> bool {
        self.0.borrow().uris.get(uri).is_some_and(|holders| !holders.is_empty())
    }

    /// Removes a holder, and the URI after its last holder.
    fn forget(&self, uri: &str, holder: u64) {
        self.0.send_if_modified(|all| {
            let Some(holders) = all.uris.get_mut(uri) else { return false };
            let is_last = holders.remove(&holder) && holders.is_empty();
            if is_last {
                all.uris.remove(uri);
            }
            is_last
        });
    }

    /// Removes a URI that the server has refused.
    pub(super) fn remove_refused(&self, uri: &str) {
        // No wake-up is needed: the server has no such subscription.
        self.0.send_if_modified(|all| {
            all.uris.remove(uri);
            false
        });
    }

    /// Removes and returns the URIs that clients have released.
    pub(super) fn take_released(&self) -> Vec<String> {
        let mut released = Vec::new();
        // No wake-up is needed: released URIs are in no filter.
        self.0.send_if_modified(|all| {
            all.uris.retain(|uri, holders| {
                if holders.is_empty() {
                    released.push(uri.clone());
                }
                !holders.is_empty()
            });
            false
        });
        released
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.0.borrow().uris().cloned().collect()
    }

    /// Returns a receiver of the URIs.
    pub(super) fn follow(&self) -> watch::Receiver<Holders> {
        self.0.subscribe()
    }

    /// Subscribes to these URIs again, and to all in each session that replaces an expired one.
    pub(super) async fn keep(
        &self,
        mut uris: Vec<String>,
        handshakes: Option<watch::Receiver<u64>>,
        live: &Live,
        limit: Duration,
        record: &Record,
    ) {
        let mut sessions = 1;
        loop {
            self.renew(uris, live, limit, record).await;
            let Some(mut handshakes) = handshakes.clone() else { return };
            let next = handshakes.wait_for(|count| *count > sessions).await.map(|count| *count);
            let Ok(next) = next else { return };
            (sessions, uris) = (next, self.all());
        }
    }

    /// Subscribes to these URIs again, except those without holders. A URI that the server refuses is removed.
    async fn renew(&self, uris: Vec<String>, live: &Live, limit: Duration, record: &Record) {
        if uris.is_empty() || live.is_stateless() {
            return;
        }
        let _waits = live.client.inbound.activity.wait();
        let all = async {
            for uri in uris.into_iter().filter(|uri| self.is_held(uri)) {
                match live.peer.subscribe(SubscribeRequestParams::new(uri.as_str())).await {
                    Ok(()) | Err(ServiceError::UnexpectedResponse) => {}
                    // The server has refused nothing. A session that replaces this one subscribes again.
                    Err(ServiceError::McpError(error)) if is_of_transport(&error) => {}
                    Err(ServiceError::McpError(error)) => {
                        self.remove_refused(&uri);
                        let (uri, why) = (excerpt(&uri), excerpt(&error.message));
                        record.note(&format!("it does not take the subscription to `{uri}` again: {why}"));
                    }
                    // The connection is lost and reports why.
                    Err(_) => return,
                }
            }
        };
        if timeout(limit, all).await.is_err() {
            record.note("it did not take all subscriptions to its resources again in time");
        }
    }

    /// Cancels released subscriptions at a server with a handshake.
    pub(super) async fn cancel_released(&self, live: &Live, limit: Duration, record: &Record) -> Infallible {
        let mut changes = self.follow();
        loop {
            for uri in self.take_released() {
                let waits = live.client.inbound.activity.wait();
                let cancelled = live.peer.unsubscribe(UnsubscribeRequestParams::new(uri.as_str()));
                match timeout(limit, cancelled).await {
                    Ok(Ok(()) | Err(ServiceError::UnexpectedResponse)) => {}
                    Ok(Err(error)) => tracing::debug!(%error, "a subscription was not cancelled"),
                    Err(_) => tracing::debug!("a subscription was not cancelled in time"),
                }
                drop(waits);
                // A client may have subscribed again before the server cancelled the subscription.
                self.renew(vec![uri], live, limit, record).await;
            }
            if changes.changed().await.is_err() {
                return pending().await;
            }
        }
    }
}

/// The holder number of the program.
const PROGRAM: u64 = 0;
/// The maximum number of subscriptions of a server.
const MAX: usize = 1000;
