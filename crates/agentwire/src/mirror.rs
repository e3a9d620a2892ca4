//! What is stored of a session goes to a store too: taken off the stream, appended in the background, told where it fails.

mod append;
mod batch;
mod filter;
mod handle;
mod known;
mod options;
mod place;
mod queue;
mod reading;
mod told;
mod worker;

use std::sync::Arc;

use agentwire_control::FrameFilter;
use agentwire_sessions::SessionStore;
use tokio::runtime::Handle;

pub(crate) use append::{call, call_optional};
pub(crate) use handle::Slot;
pub use handle::{NotStored, StoreHandle};
pub(crate) use known::{Known, ids};
pub(crate) use options::MirrorOptions;
pub(crate) use place::{PROJECTS, Places, SUFFIX};

use queue::Queue;
use reading::Held;
use worker::Worker;

/// The mirror of a session, as its reader holds it.
///
/// Dropping it leaves what waits to the worker, which gives it up when the time that a flush may take is over.
#[derive(Debug)]
pub(crate) struct Mirror {
    queue: Arc<Queue>,
    /// What was read and waits until the store has what came before it.
    held: Option<Held>,
    /// Whether results no longer wait: the session is being closed, and only its end does.
    hurried: bool,
}

impl Mirror {
    /// Starts to mirror: what comes through the filter goes to the store.
    pub(crate) fn start(
        runtime: &Handle,
        store: Arc<dyn SessionStore>,
        options: MirrorOptions,
        places: Places,
        known: Known,
        slot: &Slot,
    ) -> (Self, Arc<dyn FrameFilter>) {
        let places = Arc::new(places);
        let queue = Arc::new(Queue::new(options, known));
        slot.hold(Arc::clone(&queue));
        let worker = Worker::new(Arc::clone(&queue), store, Arc::clone(&places));
        // It ends when the filter is gone and all is stored; and when its time is over, once this is dropped.
        runtime.spawn(worker.run());
        let filter = filter::MirrorFilter::new(Arc::clone(&queue), places);
        (Self { queue, held: None, hurried: false }, Arc::new(filter))
    }

    /// Returns a handle that reports what the store has.
    pub(crate) fn handle(&self) -> StoreHandle {
        let slot = Slot::default();
        slot.hold(Arc::clone(&self.queue));
        StoreHandle::of(slot)
    }

    /// From now on nothing waits for the store but the end, what is held already included.
    pub(crate) fn hurry(&mut self) {
        self.hurried = true;
        if let Some(held) = &self.held {
            self.queue.release(held.hold);
        }
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        self.queue.leave();
    }
}
