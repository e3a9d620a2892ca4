//! The resources that a client has subscribed to, and the reports of their changes.

use std::{
    collections::BTreeMap,
    mem::take,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::{
    ErrorData,
    model::{ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification},
};
use tokio::sync::broadcast::{self, error::RecvError};

use super::{Gateway, handler::refused, watch::To};
use crate::{ServerName, connection::Hold, handlers::Update};

/// The resources that a client has subscribed to, by the URIs that it uses. A clone is the same set.
#[derive(Clone, Debug, Default)]
pub(super) struct Subscribed(Arc<Mutex<BTreeMap<String, Subscription>>>);

#[derive(Debug)]
struct Subscription {
    server: ServerName,
    /// The URI that the server uses: the end of the client's.
    uri: String,
    _hold: Hold,
}

impl Subscribed {
    /// Returns whether the client had subscribed to it.
    pub(super) fn remove(&self, uri: &str) -> bool {
        let removed = self.lock().remove(uri);
        removed.is_some()
    }

    pub(super) fn clear(&self) {
        let removed = take(&mut *self.lock());
        drop(removed);
    }

    /// The URIs to report to the client when a resource has changed.
    fn concerned(&self, update: &Update) -> Vec<String> {
        let all = self.lock();
        let of_server = all.iter().filter(|(_, subscription)| subscription.server == update.server);
        of_server
            .filter_map(|(uri, subscription)| {
                let part = update.uri.strip_prefix(&subscription.uri)?;
                // A server may report a part of the resource that was subscribed to.
                let is_part = part.is_empty() || part.starts_with('/') || subscription.uri.ends_with('/');
                is_part.then(|| format!("{uri}{part}"))
            })
            .collect()
    }

    fn uris(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Subscription>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gateway {
    /// Subscribes to a resource at the server that has it.
    pub(super) async fn subscribe_to(&self, subscribed: &Subscribed, uri: String) -> Result<(), ErrorData> {
        let (server, inner) = self.find_resource(&uri)?;
        let hold = Box::pin(self.hub.hold(server.as_str(), &inner)).await.map_err(refused)?;
        let replaced = subscribed.lock().insert(uri, Subscription { server, uri: inner, _hold: hold });
        drop(replaced);
        Ok(())
    }

    /// The server that a URI belongs to, and what that server calls it.
    pub(super) fn find_resource(&self, uri: &str) -> Result<(ServerName, String), ErrorData> {
        let offers = self.offers();
        let (server, inner) = offers
            .uris()
            .find_unlisted(uri)
            .map_err(|error| ErrorData::resource_not_found(error.to_string(), None))?;
        Ok((server, inner.to_owned()))
    }
}

/// Reports changes of the resources that a client has subscribed to, until the client or the hub is gone.
pub(super) async fn report(mut updates: broadcast::Receiver<Update>, subscribed: &Subscribed, to: To<'_>) {
    loop {
        let uris = match updates.recv().await {
            Ok(update) => subscribed.concerned(&update),
            // Any of them may have changed.
            Err(RecvError::Lagged(_)) => subscribed.uris(),
            Err(RecvError::Closed) => return,
        };
        for uri in uris {
            let params = ResourceUpdatedNotificationParam::new(uri);
            let updated = ResourceUpdatedNotification::new(params);
            if !to.send(ServerNotification::ResourceUpdatedNotification(updated)).await {
                return;
            }
        }
    }
}
