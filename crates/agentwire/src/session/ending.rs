//! Ending a session by our own hand.

use std::future::poll_fn;

use agentwire_codec::Incoming;
use agentwire_control::Delivery;
use agentwire_protocol::{Message, System};
use agentwire_transport::ExitReport;

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
    /// Where something was lost that the caller has not seen:
    /// [`Error::Ended`] for a turn that has no result and was not interrupted, for a prompt that was not written, and for
    /// a result that is an error and was not read before; [`Error::SessionStore`] for entries that the session store
    /// did not take.
    /// How the process ended is not an error: see [`Closed`].
    pub async fn close(mut self) -> Result<Closed, Error> {
        self.task.close();
        #[cfg(feature = "sessions")]
        if let Some(mirror) = &mut self.mirror {
            mirror.hurry();
        }
        let was_reported = self.ending.is_some();
        let mut unread = Unread::default();
        while let Some(delivery) = poll_fn(|context| self.poll_delivery(context)).await {
            if let Ok(Delivery::Incoming(incoming)) = delivery {
                unread.note(&incoming);
            }
        }
        self.task.ended().await;
        let closed = Closed { exit: self.task.exit(), by: self.task.ended_by() };
        let Some(ending) = self.ending.take() else { return Ok(closed) };
        if let Some(why) = unread.store_failure {
            return Err(Error::SessionStore { why });
        }
        let is_cut = !was_reported && ending.in_turn && !ending.interrupted;
        if is_cut || unread.is_error_result && ending.error_result.is_some() {
            return Err(Error::ended(ending));
        }
        Ok(Closed { exit: ending.exit.clone().or(closed.exit), ..closed })
    }

    /// Ends the CLI's input, and bounds its life from now on, whatever may still run.
    pub(crate) fn give_up(&self) {
        self.task.give_up();
    }
}

/// How a session ended that was closed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Closed {
    /// How the CLI's process ended, with the end of its stderr; `None` where the transport reports none.
    pub exit: Option<ExitReport>,
    /// What it took to end the CLI.
    pub by: EndedBy,
}

/// What it took to end the CLI, once its input had ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndedBy {
    /// It ended by itself.
    #[default]
    Itself,
    /// It did not end within the first grace, and got SIGTERM or what the transport has for it.
    Terminated,
    /// It did not end within the second grace either, and got SIGKILL or what the transport has for it.
    Killed,
    /// It could not be ended.
    Abandoned,
}

impl EndedBy {
    /// Returns the sentence for error messages; `None` where the CLI ended by itself.
    pub(super) fn explanation(self) -> Option<&'static str> {
        match self {
            Self::Itself => None,
            Self::Terminated => Some("it did not end by itself and was asked to"),
            Self::Killed => Some("it did not end when asked to and was made to"),
            Self::Abandoned => Some("it could not be made to end"),
        }
    }
}

/// What arrived while the session closed, and the caller never saw.
#[derive(Default)]
struct Unread {
    /// Whether the last result is an error.
    is_error_result: bool,
    /// The first failure of the session store.
    store_failure: Option<String>,
}

impl Unread {
    fn note(&mut self, incoming: &Incoming) {
        match incoming.message() {
            Some(Message::Result(result)) => self.is_error_result = result.is_error,
            Some(Message::System(System::MirrorError(failure))) => {
                self.store_failure.get_or_insert_with(|| failure.error.to_string());
            }
            _ => {}
        }
    }
}
