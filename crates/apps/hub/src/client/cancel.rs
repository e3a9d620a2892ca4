//! A guard that cancels an unanswered request.

use futures_util::FutureExt as _;
use rmcp::{
    Peer,
    model::{CancelledNotification, CancelledNotificationParam, RequestId},
    service::ServiceRole,
};

/// A request without an answer. Dropping it cancels the request at the peer.
pub(crate) struct CancelOnDrop<'a, R: ServiceRole> {
    pub(crate) peer: &'a Peer<R>,
    pub(crate) id: Option<RequestId>,
    pub(crate) reason: &'static str,
}

impl<R: ServiceRole> Drop for CancelOnDrop<'_, R> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let cancelled = CancelledNotificationParam::new(Some(id), Some(self.reason.to_owned()));
        let sent = self.peer.send_notification(CancelledNotification::new(cancelled).into());
        // The first poll queues the notification, regardless of this task's budget. Nothing waits until it is sent.
        // If the queue is full, the peer reads nothing and would not read this.
        let _ = tokio::task::unconstrained(sent).now_or_never();
    }
}
