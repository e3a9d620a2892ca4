//! Sends a request and waits for its answer, up to the time limit.

use std::time::Duration;

use futures_util::FutureExt;
use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{CancelledNotificationParam, ClientRequest, GetExtensions, RequestId, ServerResult},
    service::PeerRequestOptions,
};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until, timeout_at},
};

use super::Callbacks;
use crate::{TimeLimit, client::ProgressReceiver, connection::Live};

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    TimedOut { after: Duration, limit: TimeLimit },
    Failed(ServiceError),
}

/// The time limits of an answer.
pub(super) struct Patience<C> {
    /// The configuration and its changes.
    pub(super) config: watch::Receiver<C>,
    /// Returns the time limit in the configuration.
    pub(super) timeout: fn(&C) -> Duration,
    /// The time limit regardless of progress.
    pub(super) longest: Duration,
}

/// Sends a request and waits for its answer. Cancels the request at the server if the future is dropped or the time is over.
pub(super) async fn exchange<C>(
    live: &Live,
    mut request: ClientRequest,
    options: PeerRequestOptions,
    mut patience: Patience<C>,
    callbacks: &mut Callbacks,
) -> Result<ServerResult, Unanswered> {
    let Live { peer, back, .. } = live;
    let Callbacks { asked, on_progress } = callbacks;
    let called = back.callers.as_ref().map(|callers| callers.call(asked.clone()));
    let mut clock = Clock::new(&mut patience);
    let _waits = back.life.wait();
    let (waiting, mut heard) = ProgressReceiver::new(back);
    request.extensions_mut().insert(waiting);
    let sending = peer.send_request_with_option(request, options);
    // This waits only if rmcp's queue is full because the server reads nothing.
    let Ok(sent) = timeout_at(clock.deadline, sending).await else { return Err(clock.over()) };
    let mut handle = sent.map_err(Unanswered::Failed)?;
    heard.sent(handle.progress_token.clone());
    if let Some(called) = &called {
        called.sent(&handle.id);
    }
    let mut open = Open { peer, id: Some(handle.id.clone()), reason: "nobody waits for the answer any more" };
    loop {
        tokio::select! {
            biased;
            answer = &mut handle.rx => {
                open.id = None;
                // Progress that arrived before the answer is in the channel already.
                while let (Some(progress), Some(hear)) = (heard.try_recv(), on_progress.as_mut()) {
                    hear(progress);
                }
                return answer.unwrap_or(Err(ServiceError::TransportClosed)).map_err(Unanswered::Failed);
            }
            Some(progress) = heard.recv() => {
                clock.since(Instant::now(), &patience);
                if let Some(hear) = on_progress.as_mut() {
                    hear(progress);
                }
                // Constant progress would starve the branch with the deadline.
                if clock.deadline <= Instant::now() {
                    open.reason = OVER;
                    return Err(clock.over());
                }
            }
            () = changed(&mut patience.config) => clock.look(&mut patience),
            () = sleep_until(clock.deadline) => {
                // While the server waits for the user, it can't continue. The present is read before the time of the question:
                // otherwise a delay of this thread between the two would look like a timeout.
                let now = Instant::now();
                if let Some(sign) = back.asking.since() {
                    clock.since(sign, &patience);
                    if clock.deadline > now {
                        continue;
                    }
                }
                open.reason = OVER;
                return Err(clock.over());
            }
        }
    }
}

/// Waits for another configuration, or forever if the sender is gone.
async fn changed<C>(config: &mut watch::Receiver<C>) {
    if config.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Computes the deadline.
struct Clock {
    started: Instant,
    /// The time of the server's last progress or question.
    sign: Instant,
    timeout: Duration,
    deadline: Instant,
}

impl Clock {
    fn new<C>(patience: &mut Patience<C>) -> Self {
        let now = Instant::now();
        let mut clock = Self { started: now, sign: now, timeout: Duration::ZERO, deadline: now };
        clock.look(patience);
        clock
    }

    /// Reads the configuration.
    fn look<C>(&mut self, patience: &mut Patience<C>) {
        self.timeout = (patience.timeout)(&patience.config.borrow_and_update()).min(FAR);
        self.set(patience.longest);
    }

    /// Restarts the time limit at a sign of the server.
    fn since<C>(&mut self, sign: Instant, patience: &Patience<C>) {
        self.sign = self.sign.max(sign);
        self.set(patience.longest);
    }

    fn set(&mut self, longest: Duration) {
        let longest = longest.min(FAR);
        self.deadline = (self.sign + self.timeout).min(self.started + longest.max(self.timeout));
    }

    /// Returns whether the deadline is the one regardless of progress.
    fn is_last(&self) -> bool {
        self.deadline < self.sign + self.timeout
    }

    fn over(&self) -> Unanswered {
        let after = self.started.elapsed();
        let limit = if self.is_last() {
            TimeLimit::Longest(self.deadline - self.started)
        } else {
            TimeLimit::Timeout(self.timeout)
        };
        Unanswered::TimedOut { after, limit }
    }
}

/// A request without an answer. Dropping it cancels the request at the server.
struct Open<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
    reason: &'static str,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let cancelled = CancelledNotificationParam::new(Some(id), Some(self.reason.to_owned()));
        // The first poll queues the notification, regardless of this task's budget. Nothing waits until it is sent.
        // If the queue is full, the server reads nothing and would not read this.
        let _ = tokio::task::unconstrained(self.peer.notify_cancelled(cancelled)).now_or_never();
    }
}

const OVER: &str = "the time is over";
/// Practically never, and small enough to add to the clock: 30 years.
const FAR: Duration = Duration::from_secs(86400 * 365 * 30);
