//! What the CLI says, in the order of its lines.

use std::{collections::VecDeque, fmt, sync::Arc};

use agentwire_codec::{FrameError, Incoming, Line};

use crate::{Ending, TurnEnd, handle::Handle};

/// What the CLI says, in the order of its lines; nothing is dropped while it is not read.
///
/// Dropping it says that nobody will read: what comes from then on is dropped, and the session goes on without it.
pub struct Messages {
    handle: Arc<Handle>,
    batch: VecDeque<Delivery>,
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
        Self { handle, batch: VecDeque::new() }
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
        if self.batch.is_empty() {
            self.batch = self.handle.shared().next_batch().await?;
        }
        match self.batch.pop_front() {
            Some(delivery) => {
                self.handle.shared().read(delivery.weight());
                Ok(delivery)
            }
            // Never so: a batch is never empty.
            None => Err(Arc::default()),
        }
    }
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
