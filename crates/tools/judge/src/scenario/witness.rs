//! Records the calls of a scenario's callbacks, in order, for the steps and the expectations.

use std::sync::Arc;

use tokio::sync::watch;

/// The record of calls, shared by all callbacks of a session.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    seen: Arc<watch::Sender<Seen>>,
}

/// The calls so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// The tools that the permission callback was asked about.
    pub(super) asked: Vec<String>,
    /// The events that hooks were called for.
    pub(super) hooked: Vec<String>,
    /// The MCP tools that were called, as `server/tool`.
    pub(super) called: Vec<String>,
    /// The names of the held answers that are released.
    pub(super) answered: Vec<String>,
    /// The requests of other kinds that came, by their subtype.
    pub(super) requested: Vec<String>,
}

impl Witness {
    pub(super) fn new() -> Self {
        Self { seen: Arc::new(watch::Sender::new(Seen::default())) }
    }

    /// Records a call.
    pub(super) fn note(&self, what: impl FnOnce(&mut Seen)) {
        self.seen.send_modify(what);
    }

    pub(super) fn seen(&self) -> Seen {
        self.seen.borrow().clone()
    }

    /// Waits until the recorded calls satisfy a condition.
    pub(super) async fn until(&self, enough: impl Fn(&Seen) -> bool) {
        let mut seen = self.seen.subscribe();
        let waited = seen.wait_for(|seen| enough(seen)).await;
        debug_assert!(waited.is_ok(), "the sender is borrowed, so the channel is open");
    }
}
