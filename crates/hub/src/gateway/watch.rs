//! Tells a client which lists have changed.

use futures_util::{FutureExt, StreamExt};
use rmcp::{Peer, RoleServer};
use tokio::task::JoinHandle;

use crate::{EventStream, Hub, Offers};

/// Tells a client which lists have changed, until it is dropped.
#[derive(Debug)]
pub(super) struct Watch(JoinHandle<()>);

impl Watch {
    /// Tells of everything that is different from what was offered `before`.
    pub(super) fn start(hub: Hub, before: Offers, peer: Peer<RoleServer>) -> Self {
        let events = hub.events();
        Self(tokio::spawn(watch(hub, events, before, peer)))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn watch(hub: Hub, mut events: EventStream, mut before: Offers, peer: Peer<RoleServer>) {
    // Something may have happened between the list that the client has, and the first event.
    loop {
        let now = before.renewed(&hub);
        let resources = now.resources() != before.resources() || now.templates() != before.templates();
        let told = async {
            if now.tools() != before.tools() {
                peer.notify_tool_list_changed().await?;
            }
            if resources {
                peer.notify_resource_list_changed().await?;
            }
            if now.prompts() != before.prompts() {
                peer.notify_prompt_list_changed().await?;
            }
            Ok::<(), rmcp::ServiceError>(())
        };
        if let Err(error) = told.await {
            tracing::debug!(%error, "the client of a gateway is gone");
            return;
        }
        before = now;
        if events.next().await.is_none() {
            return;
        }
        // What has happened meanwhile is told of at once.
        while let Some(Some(_)) = events.next().now_or_never() {}
    }
}
