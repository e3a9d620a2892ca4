//! Whether anything goes on between the turns: a silent CLI may be waiting for a callback of ours.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use agentwire_control::{CallContext, Reply, Responder};
use agentwire_protocol::InboundRequest;

/// How long nothing at all may go on between the turns of a query, and what tells that something does.
#[derive(Clone, Debug)]
pub(super) struct Quiet {
    pub(super) limit: Duration,
    callbacks: Arc<Callbacks>,
}

/// What is known of the callbacks at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark(u64);

impl Quiet {
    /// Answers as these do, and takes note of it.
    pub(super) fn watch(&self, responders: Vec<Box<dyn Responder>>) -> Arc<dyn Responder> {
        Arc::new(Watched { responders, callbacks: Arc::clone(&self.callbacks) })
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.callbacks.steps.load(Ordering::Relaxed))
    }

    /// Whether a callback runs, or has begun or ended since then.
    pub(super) fn was_busy_since(&self, mark: Mark) -> bool {
        self.callbacks.open.load(Ordering::Relaxed) > 0 || self.mark() != mark
    }
}

impl Default for Quiet {
    fn default() -> Self {
        Self { limit: LIMIT, callbacks: Arc::default() }
    }
}

#[derive(Debug, Default)]
struct Callbacks {
    open: AtomicUsize,
    /// Beginnings and ends so far.
    steps: AtomicU64,
}

struct Watched {
    responders: Vec<Box<dyn Responder>>,
    callbacks: Arc<Callbacks>,
}

impl Responder for Watched {
    fn respond(&self, request: &InboundRequest, context: CallContext) -> Option<Reply> {
        let reply = self.responders.respond(request, context)?;
        let open = Open::new(&self.callbacks);
        Some(Box::pin(async move {
            let _open = open;
            reply.await
        }))
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("callbacks", &self.callbacks).finish_non_exhaustive()
    }
}

/// A callback that runs; dropped when it was answered, taken back, or has panicked.
struct Open(Arc<Callbacks>);

impl Open {
    fn new(callbacks: &Arc<Callbacks>) -> Self {
        callbacks.open.fetch_add(1, Ordering::Relaxed);
        callbacks.steps.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(callbacks))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.steps.fetch_add(1, Ordering::Relaxed);
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// As long as the reference waits for background work.
const LIMIT: Duration = Duration::from_secs(600);
