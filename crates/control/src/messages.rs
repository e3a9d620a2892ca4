//! What the CLI says, in the order of its lines.

use std::{
    collections::VecDeque,
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use agentwire_codec::{FrameError, Incoming, Line};

use crate::{Ending, TurnEnd, handle::Handle};

/// What the CLI says, in the order of its lines; nothing is dropped while it is not read.
///
/// Dropping it says that nobody will read: what comes from then on is dropped, and the session goes on without it.
pub struct Messages {
    handle: Arc<Handle>,
    batch: VecDeque<Delivery>,
    /// What waits for the next batch; kept between polls, so that whoever polled last is woken.
    waiting: Option<Waiting>,
}

type Waiting = Pin<Box<dyn Future<Output = Result<VecDeque<Delivery>, Arc<Ending>>> + Send + Sync>>;

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
        Self { handle, batch: VecDeque::new(), waiting: None }
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
    pub async fn next(&mut self) -> Result<Delivery, Arc<Ending>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// As [`next`](Self::next), for those who poll: nothing is lost between two polls.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Delivery, Arc<Ending>>> {
        loop {
            if let Some(delivery) = self.batch.pop_front() {
                self.handle.shared().read(delivery.weight());
                return Poll::Ready(Ok(delivery));
            }
            let handle = &self.handle;
            let waiting = self.waiting.get_or_insert_with(|| Box::pin(next_batch(Arc::clone(handle))));
            let batch = ready!(waiting.as_mut().poll(context));
            self.waiting = None;
            self.batch = batch?;
        }
    }
}

async fn next_batch(handle: Arc<Handle>) -> Result<VecDeque<Delivery>, Arc<Ending>> {
    handle.shared().next_batch().await
}

impl Delivery {
    /// What it counts towards the limits of unread messages, in bytes.
    pub(crate) fn weight(&self) -> usize {
        let line = match self {
            Self::Incoming(incoming) => match incoming {
                Incoming::TooLong(FrameError::TooLong { excerpt, .. }) => excerpt.len(),
                incoming => incoming.line().map_or(0, Line::len),
            },
            Self::TurnEnded(_) | Self::RunOver => 0,
        };
        line + size_of::<Self>()
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        self.handle.shared().abandon_messages();
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").field("batch", &self.batch.len()).finish_non_exhaustive()
    }
}
