//! Sends a request and waits for its answer, as long as it may take.

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

use super::Ears;
use crate::{TimeLimit, client::Heard, connection::Live};

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    TimedOut { after: Duration, limit: TimeLimit },
    Failed(ServiceError),
}

/// How long an answer may take.
pub(super) struct Patience<C> {
    /// The configuration as it is, and will be while the answer is waited for.
    pub(super) config: watch::Receiver<C>,
    /// What it says of the time.
    pub(super) timeout: fn(&C) -> Duration,
    /// How long it may take however much progress there is.
    pub(super) longest: Duration,
}

/// Sends a request and waits for its answer. When this is dropped, or the time is over, the server is told.
pub(super) async fn exchange<C>(
    live: &Live,
    mut request: ClientRequest,
    options: PeerRequestOptions,
    mut patience: Patience<C>,
    ears: &mut Ears,
) -> Result<ServerResult, Unanswered> {
    let Live { peer, back, .. } = live;
    let Ears { asked, on_progress } = ears;
    let called = back.callers.as_ref().map(|callers| callers.call(asked.clone()));
    let mut clock = Clock::new(&mut patience);
    let _waits = back.life.wait();
    let (waiting, mut heard) = Heard::new(back);
    request.extensions_mut().insert(waiting);
    let sending = peer.send_request_with_option(request, options);
    // It waits only where a thousand others do, to be written to a server that reads nothing.
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
                // All progress that came before the answer is there already.
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
                // Where progress is always there, it never comes to the clock below.
                if clock.deadline <= Instant::now() {
                    open.reason = OVER;
                    return Err(clock.over());
                }
            }
            () = changed(&mut patience.config) => clock.look(&mut patience),
            () = sleep_until(clock.deadline) => {
                // While the server waits for the user, it can't go on. A look at the clock behind the question's would find
                // the time over where this thread was held up in between.
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

/// Waits for another configuration; for ever, where there will be none.
async fn changed<C>(config: &mut watch::Receiver<C>) {
    if config.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// When the time is over.
struct Clock {
    started: Instant,
    /// When the server last gave a sign.
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

    /// Looks at the configuration.
    fn look<C>(&mut self, patience: &mut Patience<C>) {
        self.timeout = (patience.timeout)(&patience.config.borrow_and_update()).min(FAR);
        self.set(patience.longest);
    }

    /// The server gave a sign then.
    fn since<C>(&mut self, sign: Instant, patience: &Patience<C>) {
        self.sign = self.sign.max(sign);
        self.set(patience.longest);
    }

    fn set(&mut self, longest: Duration) {
        let longest = longest.min(FAR);
        self.deadline = (self.sign + self.timeout).min(self.started + longest.max(self.timeout));
    }

    /// Whether no sign can put the end off any more.
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

/// A request that has no answer yet; the server is told when nobody waits for it any more.
struct Open<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
    reason: &'static str,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let cancelled = CancelledNotificationParam::new(Some(id), Some(self.reason.to_owned()));
        // The first poll puts it into the queue, whatever is left of this task's budget; nobody waits for it to be sent.
        // Where the queue is full the server reads nothing, and would not read this.
        let _ = tokio::task::unconstrained(self.peer.notify_cancelled(cancelled)).now_or_never();
    }
}

const OVER: &str = "the time is over";
/// As good as never, and no more than a clock can have added: 30 years.
const FAR: Duration = Duration::from_secs(86400 * 365 * 30);
