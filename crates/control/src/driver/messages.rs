//! The reader of a session's events.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Arc, MutexGuard},
    task::{Context, Poll, ready},
};

use tokio::task::coop::poll_proceed;

use super::{handle::Handle, shared::State};
use crate::{RawEvent, SessionEvent, SessionExit};

/// The events of a session, in the order of their lines.
///
/// Unread events are buffered up to a limit ([`Config`](crate::Config)); past it, reading from the CLI stops.
/// After this is dropped, later events are discarded, and the session goes on.
pub struct Messages {
    handle: Arc<Handle>,
    batch: VecDeque<RawEvent>,
    /// The weight of events that were read and still count as unread. Released in batches, since that takes the lock.
    unreleased: usize,
}

impl Messages {
    pub(crate) fn new(handle: Arc<Handle>) -> Self {
        Self { handle, batch: VecDeque::new(), unreleased: 0 }
    }

    /// Waits for the next event, and decodes it.
    ///
    /// # Cancel safety
    ///
    /// Cancel-safe: no event is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// Returns how the session ended, clean or not, after all events. Later calls return it again.
    pub async fn next(&mut self) -> Result<SessionEvent, Arc<SessionExit>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Polls for the next event. Wakes the task of the last poll.
    ///
    /// Each event takes one unit of the task's budget in tokio: once that is used up, `Pending` does not mean that all
    /// events are read.
    ///
    /// # Errors
    ///
    /// See [`next`](Self::next).
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<SessionEvent, Arc<SessionExit>>> {
        let budget = ready!(poll_proceed(context));
        loop {
            if let Some(event) = self.batch.pop_front() {
                budget.made_progress();
                self.release(event.weight());
                return Poll::Ready(Ok(event.decode()));
            }
            let read = std::mem::take(&mut self.unreleased);
            ready!(self.handle.shared().poll_batch(read, &mut self.batch, context))?;
        }
    }

    /// Suspends the soft limit of unread messages while the guard lives; the hard limit still applies.
    ///
    /// Use it when you hold messages back but requests behind them must still be answered.
    pub fn pause_backpressure(&self) -> BackpressurePause {
        BackpressurePause::new(&self.handle, self.handle.shared().state.lock())
    }

    /// Releases `weight` bytes of the backpressure budget, now or with later ones.
    fn release(&mut self, weight: usize) {
        let shared = self.handle.shared();
        self.unreleased += weight;
        if self.unreleased > shared.config.unread_soft_limit / RELEASE_FRACTION {
            shared.release(std::mem::take(&mut self.unreleased));
        }
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        self.handle.shared().abandon_messages();
    }
}

/// A guard that suspends the soft limit of unread messages: see [`Messages::pause_backpressure`].
pub struct BackpressurePause(Arc<Handle>);

impl BackpressurePause {
    /// Takes the lock of the check that made the pause necessary.
    pub(super) fn new(handle: &Arc<Handle>, state: MutexGuard<'_, State>) -> Self {
        handle.shared().apply(state, |state| state.pauses += 1);
        Self(Arc::clone(handle))
    }
}

impl Drop for BackpressurePause {
    fn drop(&mut self) {
        self.0.shared().state.lock().pauses -= 1;
    }
}

agentwire_transport::debug_by_name!(BackpressurePause, Messages);

/// Events that were read are released once they exceed this fraction of the soft limit.
const RELEASE_FRACTION: usize = 16;
