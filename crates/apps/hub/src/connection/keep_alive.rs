//! Asks a server that says nothing whether it is still there.

use std::{future::pending, time::Duration};

use futures_util::FutureExt as _;
use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{CancelledNotificationParam, ClientRequest, DiscoverRequest, DiscoverRequestParams, PingRequest},
    service::PeerRequestOptions,
};
use tokio::time::{Instant, sleep, timeout};

use super::{Live, Record};
use crate::client::Back;

/// When a server that says nothing is asked whether it is still there (`ping`, or `server/discover` since 2026-07-28).
///
/// One that has answered before and does not answer any more is lost, and is connected again.
/// An answer that is an error is one, and so is whatever else comes meanwhile.
/// A server that has never answered a ping is not asked again: it may not know the question.
/// While a call is under way, or the user is asked, nothing is asked: a call has a limit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeepAlive {
    /// How long nothing comes from a server, and nobody waits for it, before it is asked. A minute by default.
    pub idle: Duration,
    /// How long an answer may take. 30 seconds by default.
    pub limit: Duration,
}

impl KeepAlive {
    /// Nothing is asked: a server that stands still is noticed by the next call. For one that is stopped in a debugger.
    pub fn never() -> Self {
        Self { idle: Duration::MAX, ..Self::default() }
    }

    /// With this time without a word before a server is asked.
    #[must_use]
    pub fn idle(mut self, time: Duration) -> Self {
        self.idle = time;
        self
    }

    /// With this limit for an answer.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }
}

impl Default for KeepAlive {
    fn default() -> Self {
        Self { idle: Duration::from_secs(60), limit: Duration::from_secs(30) }
    }
}

/// Resolves when the server has fallen silent.
pub(super) async fn silence(live: &Live, keep_alive: KeepAlive, record: &Record) {
    let mut has_answered = false;
    loop {
        idle(&live.back, keep_alive.idle).await;
        let asked = Instant::now();
        let request = if live.is_stateless() {
            ClientRequest::DiscoverRequest(DiscoverRequest::new(DiscoverRequestParams {}))
        } else {
            ClientRequest::PingRequest(PingRequest::default())
        };
        match ping(&live.peer, request, keep_alive.limit).await {
            Some(is_answer) => has_answered |= is_answer,
            None if last_sign(&live.back) > asked => {}
            None if has_answered => return,
            None => {
                record.note(
                    "it does not answer `ping`: that it stands still is noticed only when it is called",
                );
                return pending().await;
            }
        }
    }
}

/// Waits until there was no sign for so long, from now on.
async fn idle(back: &Back, time: Duration) {
    let mut since = Instant::now();
    loop {
        let left = time.saturating_sub(since.elapsed());
        if left.is_zero() {
            return;
        }
        sleep(left).await;
        since = since.max(last_sign(back));
    }
}

/// When something came last, or somebody waited: now, while somebody does, or the user is asked.
fn last_sign(back: &Back) -> Instant {
    match (back.life.idle_since(), back.asking.since()) {
        (None, _) => Instant::now(),
        (Some(since), asked) => asked.map_or(since, |asked| asked.max(since)),
    }
}

/// Whether there was an answer; `None` where nothing came in time.
async fn ping(peer: &Peer<RoleClient>, request: ClientRequest, limit: Duration) -> Option<bool> {
    let mut id = None;
    let answer = async {
        let sent = peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?;
        id = Some(sent.id.clone());
        sent.await_response().await
    };
    let answer = timeout(limit, answer).await;
    match answer {
        Ok(Ok(_) | Err(ServiceError::McpError(_))) => Some(true),
        // It could not be sent: the transport knows what that means.
        Ok(Err(_)) => Some(false),
        Err(_) => {
            let cancelled = CancelledNotificationParam::new(id, None);
            // The first poll puts it into the queue; nobody waits for it to be sent.
            let _ = tokio::task::unconstrained(peer.notify_cancelled(cancelled)).now_or_never();
            None
        }
    }
}
