//! Tells a client which lists have changed.

use futures_util::{FutureExt, StreamExt};
use rmcp::{
    Peer, RoleServer,
    service::{SubscriptionSendError, SubscriptionSink},
};
use tokio::task::JoinHandle;

use crate::{EventStream, Hub, List, Offers};

/// Tells a client which lists have changed, until it is dropped.
#[derive(Debug)]
pub(super) struct Watch(JoinHandle<()>);

impl Watch {
    /// Tells of everything that is different from what was offered `before`.
    pub(super) fn start(hub: Hub, before: Offers, peer: Peer<RoleServer>) -> Self {
        let events = hub.events();
        Self(tokio::spawn(async move { watch(hub, events, before, To::Session(&peer)).await }))
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
    /// Returns `false` where the client is gone.
    async fn tell(self, list: List) -> bool {
        let told = match (self, list) {
            (Self::Session(peer), List::Tools) => peer.notify_tool_list_changed().await,
            (Self::Session(peer), List::Prompts) => peer.notify_prompt_list_changed().await,
            (Self::Session(peer), _) => peer.notify_resource_list_changed().await,
            (Self::Subscription(sink), list) => {
                let told = match list {
                    List::Tools => sink.notify_tool_list_changed().await,
                    List::Prompts => sink.notify_prompt_list_changed().await,
                    _ => sink.notify_resource_list_changed().await,
                };
                match told {
                    // It did not ask for this list.
                    Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_)) => return true,
                    Err(error) => {
                        tracing::debug!(%error, "a subscription to a gateway has ended");
                        return false;
                    }
                }
            }
        };
        if let Err(error) = &told {
            tracing::debug!(%error, "the client of a gateway is gone");
        }
        told.is_ok()
    }
}

/// Reports everything that is different from what was offered `before`, until the client or the hub is gone.
pub(super) async fn watch(hub: Hub, mut events: EventStream, mut before: Offers, to: To<'_>) {
    // Something may have happened between the list that the client has, and the first event.
    loop {
        let now = before.renewed(&hub);
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
