//! Cancellation of unanswered requests.

use futures_util::FutureExt as _;
use rmcp::{
    Peer, ServiceError,
    model::{CancelledNotification, CancelledNotificationParam, RequestId},
    service::{PeerRequestOptions, ServiceRole},
};

/// Sends a request and waits for its answer. Dropping the future cancels the request at the peer.
pub(crate) async fn ask<R: ServiceRole>(
    peer: &Peer<R>,
    request: R::Req,
    reason: &'static str,
) -> Result<R::PeerResp, ServiceError> {
    let mut handle = peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?;
    let mut open = CancelOnDrop { peer, id: Some(handle.id.clone()), reason };
    let answer = (&mut handle.rx).await;
    open.id = None;
    answer.unwrap_or(Err(ServiceError::TransportClosed))
}

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
