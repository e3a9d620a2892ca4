//! The resources that a client has subscribed to, and the reports of their changes.

use std::{
    collections::BTreeMap,
    mem::take,
    sync::{Arc, Mutex},
};

use rmcp::{
    ErrorData,
    model::{ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification},
};
use tokio::sync::broadcast::{self, error::RecvError};

use super::{Gateway, errors::refused, watch::Recipient};
use crate::{Offers, ServerName, client::Stale, connection::Hold, handlers::Update, lock::locked};

/// The resources that a client has subscribed to, by the URIs that it uses. A clone is the same set.
#[derive(Clone, Debug, Default)]
pub(super) struct Subscribed(Arc<Mutex<BTreeMap<String, Subscription>>>);

#[derive(Debug)]
struct Subscription {
    server: ServerName,
    /// The URI as the server lists it.
    uri: String,
    _hold: Hold,
}

impl Subscribed {
    /// Removes a subscription. Returns `false` if there was none.
    pub(super) fn remove(&self, uri: &str) -> bool {
        let removed = locked(&self.0).remove(uri);
        removed.is_some()
    }

    pub(super) fn clear(&self) {
        let removed = take(&mut *locked(&self.0));
        drop(removed);
    }

    /// Returns the URIs to report to the client after this change. A client with a filter receives no other URIs.
    fn concerned(&self, update: &Update, has_filter: bool) -> Vec<String> {
        let all = locked(&self.0);
        let of_server = all.iter().filter(|(_, subscription)| subscription.server == update.server);
        of_server
            .filter_map(|(uri, subscription)| {
                let part = update.uri.strip_prefix(&subscription.uri)?;
                // A server may report a part of the resource that was subscribed to.
                let is_part = part.is_empty() || part.starts_with('/') || subscription.uri.ends_with('/');
                let part = if has_filter { "" } else { part };
                is_part.then(|| format!("{uri}{part}"))
            })
            .collect()
    }

    fn uris(&self) -> Vec<String> {
        locked(&self.0).keys().cloned().collect()
    }
}

impl Gateway {
    /// Subscribes to a resource at the server that has it.
    pub(super) async fn subscribe_to(&self, subscribed: &Subscribed, uri: String) -> Result<(), ErrorData> {
        let (offers, found) = self.find(Stale::Resources, |offers| find_resource(offers, &uri)).await;
        let (server, inner) = found?;
        // The server reports changes with this spelling.
        let inner = offers.uris().as_listed(&server, &inner).to_owned();
        let hold = Box::pin(self.hub.hold(server.as_str(), &inner)).await.map_err(refused)?;
        let replaced = locked(&subscribed.0).insert(uri, Subscription { server, uri: inner, _hold: hold });
        drop(replaced);
        Ok(())
    }
}

/// Returns the server of a URI, and the server's own URI.
pub(super) fn find_resource(offers: &Offers, uri: &str) -> Result<(ServerName, String), ErrorData> {
    let found = offers.uris().find_unlisted(uri);
    let (server, inner) = found.map_err(|error| ErrorData::resource_not_found(error.to_string(), None))?;
    Ok((server, inner.to_owned()))
}

/// Reports changes of the resources that a client has subscribed to, until the client or the hub is gone.
pub(super) async fn report(
    mut updates: broadcast::Receiver<Update>,
    subscribed: &Subscribed,
    to: Recipient<'_>,
) {
    let has_filter = matches!(to, Recipient::Subscription(_));
    loop {
        let uris = match updates.recv().await {
            Ok(update) => subscribed.concerned(&update, has_filter),
            // Updates were lost: each resource may have changed.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Subscriptions;

    #[test]
    fn change_of_a_part_is_reported_under_a_uri_that_the_client_receives() {
        let (subscribed, uri) = (Subscribed::default(), "test://a".to_owned());
        let hold = Subscriptions::default().hold(&uri).unwrap();
        let subscription = Subscription { server: "s".into(), uri, _hold: hold };
        locked(&subscribed.0).insert("mcp-hub:s/test://a".to_owned(), subscription);
        let update = Update { server: "s".into(), uri: "test://a/b".into() };
        assert_eq!(subscribed.concerned(&update, false), ["mcp-hub:s/test://a/b"]);
        assert_eq!(subscribed.concerned(&update, true), ["mcp-hub:s/test://a"]);
    }
}
