//! Pings silent servers.

use std::{future::pending, time::Duration};

use rmcp::{
    ServiceError,
    model::{ClientRequest, DiscoverRequest, DiscoverRequestParams, PingRequest},
};
use tokio::time::{Instant, sleep, timeout};

use super::{Live, Record};
use crate::client::{Inbound, ask};

/// The times after which a silent server is pinged (`ping`, or `server/discover` since 2026-07-28).
///
/// If a server that answered earlier pings stops answering, its connection is lost and is opened again.
/// An error counts as an answer, and so does any other message.
/// A server that has never answered a ping is not pinged again: it may not support it.
/// No ping is sent while a call is in flight, which has its own limit, or while a question to the user is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "plain settings, written with `..default()`")]
pub struct KeepAlive {
    /// The time without messages and calls after which a server is pinged. The default is one minute.
    pub idle: Duration,
    /// The time limit for the answer. The default is 30 seconds.
    pub limit: Duration,
}

impl KeepAlive {
    /// Disables pings, for a server that is stopped in a debugger. Only the next call notices an unresponsive server.
    pub fn never() -> Self {
        Self { idle: Duration::MAX, ..Self::default() }
    }
}

impl Default for KeepAlive {
    fn default() -> Self {
        Self { idle: Duration::from_secs(60), limit: Duration::from_secs(30) }
    }
}

/// Resolves when the server stops answering pings.
pub(super) async fn silence(live: &Live, keep_alive: KeepAlive, record: &Record) {
    let mut has_answered = false;
    loop {
        idle(&live.client.inbound, keep_alive.idle).await;
        let asked = Instant::now();
        let request = if live.is_stateless() {
            ClientRequest::DiscoverRequest(DiscoverRequest::new(DiscoverRequestParams {}))
        } else {
            ClientRequest::PingRequest(PingRequest::default())
        };
        let answer = ask(&live.peer, request, "the ping was not answered in time");
        match timeout(keep_alive.limit, answer).await {
            Ok(Ok(_) | Err(ServiceError::McpError(_))) => has_answered = true,
            // The transport handles a failure to send.
            Ok(Err(_)) => {}
            Err(_) if last_activity(&live.client.inbound) > asked => {}
            Err(_) if has_answered => return,
            Err(_) => {
                record.note("it does not answer `ping`, so only a call notices that it is unresponsive");
                return pending().await;
            }
        }
    }
}

/// Waits until the server was idle for this time, from now on.
async fn idle(inbound: &Inbound, time: Duration) {
    let mut since = Instant::now();
    loop {
        let left = time.saturating_sub(since.elapsed());
        if left.is_zero() {
            return;
        }
        sleep(left).await;
        since = since.max(last_activity(inbound));
    }
}

/// Returns the time of the last message or call, or the current time while a call or a question is open.
fn last_activity(inbound: &Inbound) -> Instant {
    inbound.activity.idle_since().map_or_else(Instant::now, |since| since.max(inbound.asking.since()))
}
