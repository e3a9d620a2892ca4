//! Tells a client which lists and resources have changed.

use futures_util::{FutureExt, StreamExt};
use rmcp::{
    Peer, RoleServer,
    model::ServerNotification,
    service::{SubscriptionSendError, SubscriptionSink},
};
use tokio::{sync::broadcast, task::JoinHandle};

use super::subscribed::{Subscribed, report};
use crate::{EventStream, Hub, List, Offers, handlers::Update};

/// Tells a client which lists and resources have changed, until it is dropped.
#[derive(Debug)]
pub(super) struct Watch(JoinHandle<()>);

impl Watch {
    /// Tells of everything that is different from what was offered `before`, and of changes of what is subscribed to.
    pub(super) fn start(hub: Hub, before: Offers, subscribed: Subscribed, peer: Peer<RoleServer>) -> Self {
        let changes = Changes::of(&hub);
        Self(tokio::spawn(async move {
            watch(hub, changes, before, &subscribed, To::Session(&peer)).await;
            // The client is gone, also where its gateway is not dropped.
            subscribed.clear();
        }))
    }
}

/// What happens in a hub from now on.
pub(super) struct Changes {
    events: EventStream,
    updates: broadcast::Receiver<Update>,
}

impl Changes {
    pub(super) fn of(hub: &Hub) -> Self {
        Self { events: hub.events(), updates: hub.calls().updates.listen() }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Where changes are reported.
#[derive(Clone, Copy)]
pub(super) enum To<'a> {
    Session(&'a Peer<RoleServer>),
    Subscription(&'a SubscriptionSink),
}

impl To<'_> {
    async fn tell(self, list: List) -> bool {
        self.send(match list {
            List::Tools => ServerNotification::ToolListChangedNotification(Default::default()),
            List::Prompts => ServerNotification::PromptListChangedNotification(Default::default()),
            _ => ServerNotification::ResourceListChangedNotification(Default::default()),
        })
        .await
    }

    /// Returns `false` where the client is gone.
    pub(super) async fn send(self, notification: ServerNotification) -> bool {
        let sent = match self {
            Self::Session(peer) => {
                peer.send_notification(notification).await.map_err(SubscriptionSendError::from)
            }
            Self::Subscription(sink) => sink.send(notification).await,
        };
        match sent {
            // It did not ask for this.
            Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_)) => true,
            Err(error) => {
                tracing::debug!(%error, "the client of a gateway is gone");
                false
            }
        }
    }
}

/// Reports everything that is different from what was offered `before`, and changes of what is subscribed to, until the
/// client or the hub is gone.
pub(super) async fn watch(hub: Hub, changes: Changes, before: Offers, subscribed: &Subscribed, to: To<'_>) {
    tokio::select! {
        () = lists(hub, changes.events, before, to) => {}
        () = report(changes.updates, subscribed, to) => {}
    }
}

/// Reports which lists are different from those `before`.
async fn lists(hub: Hub, mut events: EventStream, mut before: Offers, to: To<'_>) {
    // Something may have happened between the list that the client has, and the first event.
    loop {
        let now = before.renewed(hub.offering());
        let resources = now.resources() != before.resources() || now.templates() != before.templates();
        let changes = [
            (List::Tools, now.tools() != before.tools()),
            (List::Resources, resources),
            (List::Prompts, now.prompts() != before.prompts()),
        ];
        for (list, _) in changes.into_iter().filter(|(_, is_different)| *is_different) {
            if !to.tell(list).await {
                return;
            }
        }
        before = now;
        if events.next().await.is_none() {
            return;
        }
        // What has happened meanwhile is told of at once.
        while let Some(Some(_)) = events.next().now_or_never() {}
    }
}
