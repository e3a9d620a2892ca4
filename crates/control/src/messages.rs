//! What the CLI says, in the order of its lines.

use std::{
    fmt,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, ready},
};

use agentwire_codec::{FrameError, Incoming, Line};

use crate::{SessionEnd, TurnEnd, driver::Parcels, handle::Handle};

/// What the CLI says, in the order of its lines; nothing is dropped while it is not read.
///
/// Dropping it says that nobody will read: what comes from then on is dropped, and the session goes on without it.
pub struct Messages {
    handle: Arc<Handle>,
    batch: Parcels,
    /// The weight of what was read and still counts as unread: told once in a while, since telling it takes the lock for
    /// which whoever fills the queue waits.
    read: usize,
}

/// One thing that is told to the reader.
#[derive(Debug)]
#[non_exhaustive]
pub enum Delivery {
    /// A message, or a line that can't be read as one.
    Incoming(Incoming),
    /// A turn has ended; its result came just before.
    TurnEnded(TurnEnd),
    /// Every prompt has its result and nothing runs: the input may be ended.
    RunOver,
}

impl Messages {
    pub(crate) fn new(handle: Arc<Handle>) -> Self {
        Self { handle, batch: Parcels::new(), read: 0 }
    }

    /// Waits for the next thing.
    ///
    /// # Cancellation
    ///
    /// Cancel-safe: nothing is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// How the session ended, clean or not, once everything before was delivered; every later call gives it again.
    pub async fn next(&mut self) -> Result<Delivery, Arc<SessionEnd>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// As [`next`](Self::next), for those who poll: nothing is lost between two polls, and whoever polled last is woken.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Delivery, Arc<SessionEnd>>> {
        loop {
            if let Some(parcel) = self.batch.pop_front() {
                self.count(parcel.weight());
                return Poll::Ready(Ok(parcel.open()));
            }
            let read = std::mem::take(&mut self.read);
            ready!(self.handle.shared().poll_batch(read, &mut self.batch, context))?;
        }
    }

    /// Has reading go on as for an open request, past what may usually lie unread, as long as that lives: for who holds
    /// back what it has read, so that what the CLI asks meanwhile is still heard.
    ///
    /// See [`Config::unread_hard_limit`](crate::Config::unread_hard_limit).
    pub fn pause_backpressure(&self) -> BackpressurePause {
        BackpressurePause::new(Arc::clone(&self.handle))
    }

    /// Something of this weight is read.
    fn count(&mut self, weight: usize) {
        let shared = self.handle.shared();
        self.read += weight;
        if self.read > shared.config().unread_soft_limit / UNTOLD {
            shared.read(std::mem::take(&mut self.read));
        }
    }
}

impl Delivery {
    /// The bytes that it holds beside itself.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Incoming(incoming) => match incoming {
                Incoming::TooLong(FrameError::TooLong { excerpt, .. }) => excerpt.len(),
                incoming => incoming.line().map_or(0, Line::len),
            },
            Self::TurnEnded(_) | Self::RunOver => 0,
        }
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        self.handle.shared().abandon_messages();
    }
}

/// Has reading go on as long as it lives: see [`Messages::pause_backpressure`].
pub struct BackpressurePause(Arc<Handle>);

impl BackpressurePause {
    fn new(handle: Arc<Handle>) -> Self {
        handle.shared().begin_waiting();
        Self(handle)
    }
}

impl Drop for BackpressurePause {
    fn drop(&mut self) {
        self.0.shared().end_waiting();
    }
}

impl fmt::Debug for BackpressurePause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackpressurePause").finish_non_exhaustive()
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").field("batch", &self.batch.len()).finish_non_exhaustive()
    }
}

/// What was read and is not told is at most this part of what may be unread.
const UNTOLD: usize = 16;
