//! The notifications of servers without a handshake, which arrive only on a `subscriptions/listen` stream.

use std::{convert::Infallible, future::pending, mem, time::Duration};

use agentwire_net::excerpt;
use rmcp::{
    ServiceError,
    model::{ErrorCode, SubscriptionFilter},
    service::Subscription,
};
use tokio::time::{sleep, timeout};

use super::{Core, Live};
use crate::client::Stale;

impl Live {
    /// Returns whether the server reports changes of a list; `None` for a list that it does not have.
    pub(super) fn reports(&self, list: Stale) -> Option<bool> {
        let offers = &self.info.as_ref()?.capabilities;
        let list_changed = match list {
            Stale::Tools => offers.tools.as_ref()?.list_changed,
            Stale::Resources => offers.resources.as_ref()?.list_changed,
            Stale::Prompts => offers.prompts.as_ref()?.list_changed,
        };
        Some(list_changed == Some(true))
    }
}

impl Core {
    /// Listens to changes of lists and of subscribed resources while the connection is open.
    ///
    /// For a server with a handshake, it cancels released subscriptions, each within the limit.
    pub(super) async fn listen(&self, live: &Live, limit: Duration) -> Infallible {
        if !live.is_stateless() {
            return self.subscriptions.cancel_released(live, limit, &self.record).await;
        }
        let mut uris = self.subscriptions.follow();
        let (mut losses, mut requested) = (0, Vec::new());
        loop {
            // Released subscriptions are not part of the next stream.
            self.subscriptions.take_released();
            let wanted = filter(live, uris.borrow_and_update().uris());
            if wanted == SubscriptionFilter::default() {
                requested.clear();
                let _ = uris.changed().await;
                continue;
            }
            let end = tokio::select! {
                end = self.listen_once(live, &wanted, &mut requested, limit) => end,
                Ok(()) = uris.changed() => continue,
            };
            match end {
                Ok(stood) => losses = if stood { 1 } else { losses + 1 },
                Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                    let why = excerpt(&error.message);
                    self.record.note(&format!("it does not report what changes: {why}"));
                    return pending().await;
                }
                Err(error) => {
                    tracing::debug!(server = %self.name, %error, "a subscription was lost");
                    losses += 1;
                }
            }
            sleep(PAUSE * (1 << losses.min(MAX_DOUBLINGS))).await;
        }
    }

    /// Listens until the stream ends. Returns whether there was a notification, which the transport has handled.
    ///
    /// The stream must open within the limit. `requested` has the resources of the last request, and is set to those of this.
    async fn listen_once(
        &self,
        live: &Live,
        wanted: &SubscriptionFilter,
        requested: &mut Vec<String>,
        limit: Duration,
    ) -> Result<bool, ServiceError> {
        let before = mem::replace(requested, wanted.resource_subscriptions.clone().unwrap_or_default());
        let listening = timeout(limit, live.peer.listen(wanted.clone())).await;
        let mut subscription = listening.map_err(|_| ServiceError::Timeout { timeout: limit })??;
        // The lists, and the resources requested before, may have changed before the stream was open.
        live.client.missed();
        let taken = self.taken(wanted, &subscription);
        before.iter().filter(|uri| taken.contains(uri)).for_each(|uri| live.client.updated(uri));
        let mut has_come = false;
        while subscription.next().await?.is_some() {
            has_come = true;
        }
        Ok(has_come)
    }

    /// Returns the resources that the server reports changes of. Removes the others.
    fn taken(&self, wanted: &SubscriptionFilter, subscription: &Subscription) -> Vec<String> {
        let taken = subscription.acknowledged().resource_subscriptions.clone().unwrap_or_default();
        for uri in wanted.resource_subscriptions.iter().flatten().filter(|uri| !taken.contains(uri)) {
            self.subscriptions.remove_refused(uri);
            self.record.note(&format!("it does not take the subscription to `{}`", excerpt(uri)));
        }
        taken
    }
}

/// Returns the filter for lists that the server reports changes of, and for the subscribed resources.
fn filter<'a>(live: &Live, uris: impl Iterator<Item = &'a String>) -> SubscriptionFilter {
    let mut filter = SubscriptionFilter::default();
    let if_reported = |list| live.reports(list).filter(|reports| *reports);
    filter.tools_list_changed = if_reported(Stale::Tools);
    filter.resources_list_changed = if_reported(Stale::Resources);
    filter.prompts_list_changed = if_reported(Stale::Prompts);
    let uris: Vec<String> = uris.cloned().collect();
    filter.resource_subscriptions = (!uris.is_empty()).then_some(uris);
    filter
}

/// The delay before the stream is opened again. It doubles up to 8 seconds.
const PAUSE: Duration = Duration::from_millis(250);
const MAX_DOUBLINGS: u32 = 5;
