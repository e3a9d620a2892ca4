//! Closing a session.

use std::future::poll_fn;

use agentwire_codec::Incoming;
use agentwire_control::SessionEvent;
use agentwire_protocol::{Message, System};
use agentwire_transport::ExitReport;

use super::Session;
use crate::Error;
#[cfg(feature = "sessions")]
use crate::mirror::Mirror;

impl Session {
    /// Ends the CLI's input: no further prompt can be sent, and the CLI exits when it is done. Reading continues as
    /// before.
    ///
    /// Running and queued turns are still completed, but every request of the CLI that needs an answer is refused from
    /// now on, including open ones: callbacks and in-process servers can't be reached any more.
    /// In a session with a hook that can refuse, the CLI's input ends only when no turn and no task in the background
    /// runs, because the CLI would otherwise continue without asking.
    /// Once no turn and no agent runs, a CLI that does not exit is terminated after the grace periods of
    /// [`SessionBuilder::grace`](crate::SessionBuilder::grace); a shell does not delay that.
    /// If a turn or an agent still runs now, these periods start once the messages up to its end are read.
    /// While agents run after the end of the input, the CLI withholds the results of all turns until the agents have ended
    /// (2.1.330): a [`Turn`](crate::Turn) may then end with the result of an earlier one.
    pub fn end_input(&self) {
        self.task.end_input();
    }

    /// Closes the session and waits for the CLI to exit. Remaining output is discarded.
    ///
    /// When it returns, the process is reaped and its process group has ended.
    ///
    /// Sent prompts are written first, and a running turn may finish within the first grace period of
    /// [`SessionBuilder::grace`](crate::SessionBuilder::grace).
    /// Requests of the CLI that need an answer are refused meanwhile, as after [`end_input`](Self::end_input).
    /// A session store receives all entries up to the end, and has one flush timeout to append the last ones.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the session, which then ends in the background.
    ///
    /// # Errors
    ///
    /// If something was lost that the caller has not seen:
    /// [`Error::Ended`] for a prompt that was not written or waits for its turn and, unless an
    /// [`interrupt`](Self::interrupt) aborted the turn, for a turn without a result or with an unread error result
    /// ([`Error::NotLoggedIn`] if that reports a missing login); [`Error::SessionStore`] for entries that the session
    /// store does not have.
    /// [`Error::Ended`] also if the transport panicked or the runtime was shut down.
    /// An unusual exit of the process is not an error: see [`Closed`].
    pub async fn close(mut self) -> Result<Closed, Error> {
        self.task.close();
        #[cfg(feature = "sessions")]
        if let Some(mirror) = &mut self.mirror {
            mirror.skip_flush();
        }
        let was_reported = self.ending.is_some();
        let (mut is_error_result, mut is_aborted) = (false, false);
        while let Some(event) = poll_fn(|context| self.poll_event(context)).await {
            let Ok(SessionEvent::Incoming(incoming, _)) = event else { continue };
            self.discard(&incoming);
            if let Some(Message::Result(result)) = incoming.message() {
                (is_error_result, is_aborted) = (result.is_error, result.was_aborted());
            }
        }
        let exit = self.task.ended().await;
        let has_ended = exit.is_ok();
        let closed = Closed { exit: exit.unwrap_or_default(), by: self.task.ended_by() };
        let Some(ending) = self.ending.take() else { return Ok(closed) };
        #[cfg(feature = "sessions")]
        if self.discarded_store_failure
            && let Some(why) = self.mirror.as_ref().and_then(Mirror::failure)
        {
            return Err(Error::SessionStore { why });
        }
        let is_cut = !was_reported && ending.in_turn && !ending.interrupted;
        is_error_result &= ending.error_result.is_some() && !(is_aborted && ending.interrupted);
        if !has_ended || is_cut || is_error_result {
            return Err(Error::ended(ending));
        }
        Ok(Closed { exit: ending.exit.clone().or(closed.exit), ..closed })
    }

    /// Remembers whether a message that the caller does not get reports a failure of the session store.
    pub(crate) fn discard(&mut self, incoming: &Incoming) {
        self.discarded_store_failure |=
            matches!(incoming.message(), Some(Message::System(System::MirrorError(_))));
    }

    /// Ends the CLI's input and starts the shutdown timer, even while a turn runs.
    pub(crate) fn force_end(&self) {
        self.task.force_end();
    }
}

/// The outcome of closing a session.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Closed {
    /// The exit of the CLI's process, with the end of its stderr; `None` if the transport reports none.
    pub exit: Option<ExitReport>,
    /// The step that ended the CLI.
    pub by: EndedBy,
}

/// The step that ended the CLI after the end of its input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndedBy {
    /// It exited on its own.
    #[default]
    Itself,
    /// It did not exit within the first grace period and received SIGTERM, or the transport's equivalent.
    Terminated,
    /// It did not exit within the second grace period either and received SIGKILL, or the transport's equivalent.
    Killed,
    /// It could not be ended.
    Abandoned,
}

impl EndedBy {
    /// Returns the sentence for error messages; `None` if the CLI exited on its own.
    pub(super) fn explanation(self) -> Option<&'static str> {
        match self {
            Self::Itself => None,
            Self::Terminated => Some("the CLI did not exit within the grace period and received SIGTERM"),
            Self::Killed => Some("the CLI did not exit after SIGTERM and received SIGKILL"),
            Self::Abandoned => Some("the CLI could not be terminated"),
        }
    }
}
