//! Reports changed lists and resources to a client.

use futures_util::{FutureExt, StreamExt};
use rmcp::{
    Peer, RoleServer,
    model::ServerNotification,
    service::{SubscriptionSendError, SubscriptionSink},
};
use tokio::sync::broadcast;

use super::{
    lists::listed_tools,
    subscribed::{Subscribed, report},
};
use crate::{EventStream, Hub, Offers, handlers::Update};

/// The events of a hub from now on.
pub(super) struct Changes {
    events: EventStream,
    updates: broadcast::Receiver<Update>,
}

impl Changes {
    pub(super) fn of(hub: &Hub) -> Self {
        Self { events: hub.events(), updates: hub.handlers().updates.listen() }
    }
}

/// The receiver of reports.
#[derive(Clone, Copy)]
pub(super) enum Recipient<'a> {
    Session(&'a Peer<RoleServer>),
    Subscription(&'a SubscriptionSink),
}

impl Recipient<'_> {
    /// Sends a notification. Returns `false` if the client is gone.
    pub(super) async fn send(self, notification: ServerNotification) -> bool {
        let sent = match self {
            Self::Session(peer) => {
                peer.send_notification(notification).await.map_err(SubscriptionSendError::from)
            }
            Self::Subscription(sink) => sink.send(notification).await,
        };
        match sent {
            // The client has not subscribed to this kind.
            Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_)) => true,
            Err(error) => {
                tracing::debug!(%error, "the client of a gateway is gone");
                false
            }
        }
    }
}

/// Reports the differences from `before`, and changes of subscribed resources, until the client or the hub is gone. Changes of
/// resources wait until `subscribing` ends, so that none is lost.
pub(super) async fn watch(
    hub: Hub,
    changes: Changes,
    before: Offers,
    subscribed: &Subscribed,
    subscribing: impl Future<Output = ()>,
    to: Recipient<'_>,
) {
    tokio::select! {
        () = lists(hub, changes.events, before, to) => {}
        () = subscribing.then(|()| report(changes.updates, subscribed, to)) => {}
    }
}

/// Reports the lists that differ from `before`.
async fn lists(hub: Hub, mut events: EventStream, mut before: Offers, to: Recipient<'_>) {
    // Compare first: the offers may have changed before the first event.
    loop {
        let now = before.renewed(hub.offering());
        let resources = now.resources() != before.resources() || now.templates() != before.templates();
        // The URIs of their views depend on the resources of all servers.
        let tools = now.tools() != before.tools() || resources && listed_tools(&now) != listed_tools(&before);
        let prompts = now.prompts() != before.prompts();
        let changes = [
            tools.then(|| ServerNotification::ToolListChangedNotification(Default::default())),
            resources.then(|| ServerNotification::ResourceListChangedNotification(Default::default())),
            prompts.then(|| ServerNotification::PromptListChangedNotification(Default::default())),
        ];
        for change in changes.into_iter().flatten() {
            if !to.send(change).await {
                return;
            }
        }
        before = now;
        if events.next().await.is_none() {
            return;
        }
        // Handle the events that arrived meanwhile together.
        while let Some(Some(_)) = events.next().now_or_never() {}
    }
}
