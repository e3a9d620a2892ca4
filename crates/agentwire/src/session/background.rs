//! The time limit for background work after the last result, and the tracking of running callbacks.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use agentwire_control::{CallContext, RefusalFn, Reply, Responder};
use agentwire_protocol::InboundRequest;
use tokio::{
    runtime::Handle,
    time::{Sleep, sleep},
};

use super::deferral::Deferrals;
use crate::observe::Watch;

/// The time limit for background work after the last result, and whether callbacks run meanwhile.
#[derive(Clone, Debug, Default)]
pub(crate) struct BackgroundWork {
    /// The limit that the builder or the CLI's environment sets; zero means no limit.
    pub(super) limit: Option<Duration>,
    /// The session's runtime, for timers: messages may be read outside of it.
    pub(super) runtime: Option<Handle>,
    pub(super) callbacks: Arc<Callbacks>,
}

/// A point in the history of callbacks, to compare with a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallbackMark(u64);

impl BackgroundWork {
    /// Wraps the responders: counts running callbacks and reports them to the observer.
    pub(super) fn watch(&self, deferrals: Deferrals, watch: &Arc<Watch>) -> Arc<dyn Responder> {
        let (callbacks, watch) = (Arc::clone(&self.callbacks), Arc::clone(watch));
        Arc::new(Watched { deferrals, callbacks, watch })
    }

    /// Sets the limit from the CLI's environment unless the builder set one.
    pub(super) fn set_default_limit(&mut self, environment: impl FnOnce() -> Option<String>) {
        if self.limit.is_none() {
            self.limit = environment().and_then(|set| set.trim().parse().ok()).map(Duration::from_millis);
        }
    }

    /// Returns how long a run may continue after its last result; `None` means no limit.
    pub(crate) fn limit(&self) -> Option<Duration> {
        Some(self.limit.unwrap_or(LIMIT)).filter(|limit| !limit.is_zero())
    }

    /// Returns a timer for the limit, if there is one.
    pub(crate) fn timer(&self) -> Option<Pin<Box<Sleep>>> {
        let _runtime = self.runtime.as_ref().map(Handle::enter);
        self.limit().map(|limit| Box::pin(sleep(limit)))
    }

    pub(crate) fn mark(&self) -> CallbackMark {
        CallbackMark(self.callbacks.steps.load(Ordering::Relaxed))
    }

    /// Returns whether a callback is running, or one has started or ended since `mark`.
    pub(crate) fn was_busy_since(&self, mark: CallbackMark) -> bool {
        self.callbacks.open.load(Ordering::Relaxed) > 0 || self.mark() != mark
    }
}

#[derive(Debug, Default)]
pub(super) struct Callbacks {
    open: AtomicUsize,
    /// The number of starts and ends so far.
    steps: AtomicU64,
}

struct Watched {
    deferrals: Deferrals,
    callbacks: Arc<Callbacks>,
    watch: Arc<Watch>,
}

impl Responder for Watched {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let reply = match self.watch.begin(&request, &context) {
            None => self.deferrals.respond(request, context)?,
            Some(call) => match call.start(|| self.deferrals.respond(request, context)) {
                Some(reply) => Box::pin(call.run(reply)),
                None => {
                    call.unhandled();
                    return None;
                }
            },
        };
        self.callbacks.open.fetch_add(1, Ordering::Relaxed);
        self.callbacks.steps.fetch_add(1, Ordering::Relaxed);
        let running = CallbackCount(Arc::clone(&self.callbacks));
        Some(Box::pin(async move {
            let _running = running;
            reply.await
        }))
    }

    fn refusal(&self, request: &InboundRequest) -> Option<RefusalFn> {
        self.deferrals.responders.refusal(request)
    }

    fn may_answer_any(&self) -> bool {
        self.deferrals.responders.may_answer_any()
    }

    fn guards(&self) -> bool {
        self.deferrals.responders.guards()
    }
}

/// Counts a callback as running until it is dropped: answered, cancelled or panicked.
struct CallbackCount(Arc<Callbacks>);

impl Drop for CallbackCount {
    fn drop(&mut self) {
        self.0.steps.fetch_add(1, Ordering::Relaxed);
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The default of the reference SDKs.
const LIMIT: Duration = Duration::from_secs(600);
