//! What the CLI says, in the order of its lines.

use std::{collections::VecDeque, fmt, sync::Arc};

use agentwire_codec::{FrameError, Incoming, Line};

use crate::{Ending, TurnEnd, driver::Shared};

/// What the CLI says, in the order of its lines; nothing is dropped while it is not read.
pub struct Messages {
    shared: Arc<Shared>,
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
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, batch: VecDeque::new() }
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
            self.batch = self.shared.next_batch().await?;
        }
        match self.batch.pop_front() {
            Some(delivery) => {
                self.shared.read(delivery.weight());
                Ok(delivery)
            }
            // A batch is never empty.
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

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").field("batch", &self.batch.len()).finish_non_exhaustive()
    }
}
