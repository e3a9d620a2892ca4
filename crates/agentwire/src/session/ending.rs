//! Ending a session by our own hand.

use std::future::poll_fn;

use super::Session;
use crate::Error;

impl Session {
    /// Says that no further prompt will come: the CLI ends when it is done. Reading goes on as before.
    ///
    /// Turns that run or wait are still done, but what needs an answer of ours is refused from now on, what is open
    /// included: callbacks and in-process servers can't be reached any more.
    /// In a session with a hook that can refuse, the CLI's input ends only when no turn runs, since the CLI would go ahead
    /// without asking.
    /// When nothing runs any more, a CLI that does not end is made to, after the graces of
    /// [`SessionBuilder::grace`](crate::SessionBuilder::grace).
    pub fn end_input(&self) {
        self.task.end_input();
    }

    /// Ends the session, and waits until the CLI is gone; what it still says is passed over.
    ///
    /// When it returns, the process is reaped, and what it started in its group has ended.
    ///
    /// What was sent is written first, and a running turn has the first grace of
    /// [`SessionBuilder::grace`](crate::SessionBuilder::grace) to come to its end.
    /// What needs an answer of ours is refused meanwhile, as after [`end_input`](Self::end_input).
    /// A session store gets what comes until then, and has the time of one flush for it at the end.
    ///
    /// # Cancellation
    ///
    /// Dropping the future drops the session, which then ends in the background.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] where it ended badly, a turn being cut by this included.
    pub async fn close(mut self) -> Result<(), Error> {
        self.task.close();
        #[cfg(feature = "sessions")]
        if let Some(mirror) = &mut self.mirror {
            mirror.hurry();
        }
        let mut outcome = Ok(());
        while let Some(delivery) = poll_fn(|context| self.poll_delivery(context)).await {
            if let Err(error) = delivery {
                outcome = Err(error);
            }
        }
        self.task.ended().await;
        outcome
    }

    /// Ends the CLI's input, and bounds its life from now on, whatever may still run.
    pub(crate) fn give_up(&self) {
        self.task.close();
    }
}
