//! Mirrors a session to a store: takes the entries off the stream, appends them in the background and reports failures.

mod append;
mod batch;
mod filter;
mod handle;
mod known;
mod mirror_error;
mod options;
mod queue;
mod reading;
mod transcript_paths;
mod worker;

use std::sync::Arc;

use agentwire_control::{FrameFilter, TurnInfo};
use agentwire_sessions::SessionStore;
use tokio::runtime::Handle;

pub(crate) use append::{call, call_optional};
pub(crate) use handle::Slot;
pub use handle::{NotStored, StoreHandle};
pub(crate) use known::{Known, ids};
pub(crate) use options::MirrorOptions;
pub(crate) use transcript_paths::{PROJECTS, SUFFIX, TranscriptPaths};

use queue::Queue;
use reading::PendingMessage;
use worker::Worker;

/// The mirror of a session, on the reader's side.
///
/// Dropping it leaves pending entries to the worker, which discards them after one flush timeout.
pub(crate) struct Mirror {
    queue: Arc<Queue>,
    /// An event that waits until the store has all earlier entries.
    pending: Option<PendingMessage>,
    /// The turn that the reader has reached, for messages of the mirror itself.
    turn: Arc<TurnInfo>,
    /// Whether results no longer wait, because the session is being closed; its end still waits.
    skips_flush: bool,
}

impl Mirror {
    /// Starts mirroring: entries that pass the filter go to the store.
    pub(crate) fn start(
        runtime: &Handle,
        store: Arc<dyn SessionStore>,
        options: MirrorOptions,
        paths: TranscriptPaths,
        known: Known,
        slot: &Slot,
    ) -> (Self, Arc<dyn FrameFilter>) {
        let paths = Arc::new(paths);
        let queue = Arc::new(Queue::new(options, known));
        slot.set(Arc::clone(&queue));
        let worker = Worker::new(Arc::clone(&queue), store, Arc::clone(&paths));
        // The worker ends when the filter is dropped and everything is stored, or by timeout after `Mirror` is dropped.
        runtime.spawn(worker.run());
        let filter = filter::MirrorFilter { queue: Arc::clone(&queue), paths };
        (Self { queue, pending: None, turn: Arc::default(), skips_flush: false }, Arc::new(filter))
    }

    /// Returns a handle that reports which entries are stored.
    pub(crate) fn handle(&self) -> StoreHandle {
        let slot = Slot::default();
        slot.set(Arc::clone(&self.queue));
        StoreHandle(slot)
    }

    /// Returns the known number of entries that are not stored, and a failure; `None` if all are stored.
    pub(crate) fn failure(&self) -> Option<String> {
        let state = self.queue.state.lock();
        let (first, all) = (state.refused.as_ref().or(state.lost.as_ref())?, state.missing);
        // The text of a single failure begins with the number, unless that is unknown.
        let is_single = all == 0 || first.starts_with(&format!("{all} "));
        let total = || format!("entries that are not stored: {all}; a failure: {first}");
        Some(if is_single { first.clone() } else { total() })
    }

    /// From now on only the end of the session waits for the store; a result that is being held back is released.
    pub(crate) fn skip_flush(&mut self) {
        self.skips_flush = true;
        self.queue.release();
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        self.queue.detach();
    }
}
