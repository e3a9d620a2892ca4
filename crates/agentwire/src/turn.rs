//! A turn: the messages up to a result.

mod answer;
mod schema;

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
};

use agentwire_codec::Incoming;
use agentwire_control::{Control, SessionEvent, TurnInfo};
use agentwire_protocol::{
    Message, Uuid,
    message::{AssistantError, CommandState, TurnResult},
    usage::Usage,
};
use futures_core::Stream;

pub use answer::TurnAnswer;
pub(crate) use schema::Schema;

use crate::{Error, Session};

/// The messages of one turn: a stream that ends after the result.
///
/// # Messages of a turn
///
/// The turn of an [`ask`](Session::ask) is the turn of its prompt.
/// From the first message on, the CLI names the ids of the prompts that a turn answers.
/// Several prompts that waited together share one turn: its result lists them all (`user_message_uuids`).
/// A prompt that is absorbed by the running turn gets the rest of that turn.
/// A prompt that is cancelled before it begins has a turn without a result.
///
/// Messages of other turns are skipped meanwhile, see [`Session::leftovers`]. Messages that belong to no turn, such as
/// `command_lifecycle` messages and updates on background tasks, are returned here in order.
/// A CLI that names no prompts (2.1.197) is assumed to answer in order: the first turn that ends after the prompt was
/// sent counts as its own, even if it is the rest of a turn interrupted just before.
///
/// [`Session::turn`] returns all messages up to the next result.
///
/// # Dropping
///
/// Dropping it loses nothing: [`Session::next`] and [`Session::turn`] return the rest of the turn.
/// Only the futures of [`finish`](Self::finish), [`answer`](Self::answer) and the methods based on it lose the
/// messages that they have read.
#[derive(Debug)]
#[must_use = "a turn is read by polling it"]
pub struct Turn<'a> {
    session: &'a mut Session,
    /// The awaited prompt; `None` accepts any turn.
    awaited: Option<ExpectedTurn>,
    /// The failure kind of the last message of the main conversation.
    failure: Option<AssistantError>,
    /// The result, or why there is none, once the turn has ended.
    end: Option<Result<Box<TurnResult>, Error>>,
}

/// The turn of a prompt that a reader waits for.
#[derive(Debug)]
pub(crate) struct ExpectedTurn {
    pub(crate) prompt: Uuid,
    /// The number of turns that come before its own, unless a turn names the prompt.
    pub(crate) after: u64,
    /// Whether an earlier prompt with this id was answered, failed or was cancelled. The CLI then ignores the new one
    /// without a report.
    pub(crate) is_ignored: bool,
}

/// Which turn a message belongs to, relative to the awaited prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnOwner {
    /// The turn of the prompt.
    Own,
    /// Another turn.
    Other,
    /// No turn.
    NoTurn,
}

impl ExpectedTurn {
    /// Returns the owner of a message in this turn.
    ///
    /// A CLI that does not name prompts (2.1.197) answers them in order: the first turn that ends after the prompt was
    /// sent counts as its own.
    fn owner(&self, turn: &TurnInfo, control: &Control) -> TurnOwner {
        match turn {
            _ if turn.prompts.iter().any(|named| **named == self.prompt) => TurnOwner::Own,
            _ if turn.index < self.after => TurnOwner::Other,
            _ if !turn.has_begun && turn.end.is_none() => TurnOwner::NoTurn,
            _ if !control.names_prompts() => TurnOwner::Own,
            _ if turn.has_begun => TurnOwner::Other,
            _ => TurnOwner::NoTurn,
        }
    }

    /// Returns why the prompt has no result, if the message settles it. The message must be outside of the prompt's turn.
    fn unanswered(&self, incoming: &Incoming) -> Option<Error> {
        let Some(Message::CommandLifecycle(change)) = incoming.message() else { return None };
        match change.state {
            _ if change.command_uuid != self.prompt => None,
            CommandState::Completed => Some(Error::NoResult { why: COMPLETED }),
            CommandState::Cancelled => Some(Error::NoResult { why: CANCELLED }),
            _ => None,
        }
    }
}

impl<'a> Turn<'a> {
    pub(crate) fn new(session: &'a mut Session, awaited: Option<ExpectedTurn>) -> Self {
        let is_ignored = awaited.as_ref().is_some_and(|awaited| awaited.is_ignored);
        let end = is_ignored.then_some(Err(Error::NoResult { why: ID_USED }));
        Self { session, awaited, failure: None, end }
    }

    /// Returns the id of the prompt, for the turn of an [`ask`](Session::ask).
    pub fn prompt(&self) -> Option<&Uuid> {
        self.awaited.as_ref().map(|awaited| &awaited.prompt)
    }

    /// Returns the next message of this turn; `None` when the turn has ended.
    ///
    /// # Cancel safety
    ///
    /// Cancel-safe: nothing is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`], or [`Error::NotLoggedIn`] for a missing login, if the session ends with an error first.
    /// [`ControlError::Backlogged`](crate::ControlError::Backlogged) if the messages of other turns exceed
    /// [`Config::unread_hard_limit`](crate::control::Config::unread_hard_limit): take the
    /// [`leftovers`](Self::leftovers) and continue.
    pub async fn next(&mut self) -> Option<Result<Incoming, Error>> {
        Some(self.next_owned().await?.map(|(incoming, _)| incoming))
    }

    /// As [`next`](Self::next), and returns whether the message belongs to the turn: `command_lifecycle` messages and
    /// updates on background tasks belong to none.
    async fn next_owned(&mut self) -> Option<Result<(Incoming, bool), Error>> {
        poll_fn(|context| self.poll(context)).await
    }

    /// Reads to the end of the turn and returns its result.
    ///
    /// Returns `None` in the cases of [`Error::NoResult`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses the messages that it has read; the rest of the turn stays in the session.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next), and [`Error::UnreadableResult`] if the turn ended with a `result` that can't be
    /// decoded; the session continues.
    /// An error result is returned as `Ok`: see [`TurnResult::is_error`].
    pub async fn finish(mut self) -> Result<Option<Box<TurnResult>>, Error> {
        while let Some(incoming) = self.next().await {
            self.session.discard(&incoming?);
        }
        match self.take_result() {
            Err(Error::NoResult { .. }) => Ok(None),
            result => result.map(Some),
        }
    }

    /// Returns the result of the turn, which must have been read to its end.
    fn take_result(&mut self) -> Result<Box<TurnResult>, Error> {
        self.end.take().unwrap_or(Err(Error::NoResult { why: SESSION_ENDED }))
    }

    /// Returns the result, once it has arrived.
    pub fn result(&self) -> Option<&TurnResult> {
        self.end.as_ref()?.as_deref().ok()
    }

    /// Returns the tokens used by the turn's main conversation, once the result has arrived.
    pub fn usage(&self) -> Option<&Usage> {
        self.result()?.usage.as_ref()
    }

    /// As [`Session::leftovers`], during the turn.
    pub fn leftovers(&mut self) -> Vec<Incoming> {
        self.session.leftovers()
    }

    /// Returns the handle for control requests.
    pub fn control(&self) -> &Control {
        self.session.control()
    }

    /// Returns the session of the turn.
    pub fn session(&self) -> &Session {
        self.session
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<(Incoming, bool), Error>>> {
        while self.end.is_none() {
            let event = if self.awaited.is_none() {
                ready!(self.session.poll_event(context))
            } else if let Some(error) = self.session.backlog() {
                return Poll::Ready(Some(Err(error)));
            } else {
                ready!(self.session.poll_new_event(context))
            };
            match event {
                Some(Ok(event)) => {
                    if let Some(taken) = self.take(event) {
                        return Poll::Ready(Some(Ok(taken)));
                    }
                }
                Some(Err(error)) => {
                    self.end = Some(Err(Error::NoResult { why: SESSION_ENDED }));
                    return Poll::Ready(Some(Err(error)));
                }
                None => self.end = Some(Err(Error::NoResult { why: SESSION_ENDED })),
            }
        }
        Poll::Ready(None)
    }

    /// Returns the message to yield, if any, and whether it belongs to the turn.
    fn take(&mut self, event: SessionEvent) -> Option<(Incoming, bool)> {
        let SessionEvent::Incoming(incoming, turn) = event else { return None };
        let mut owner = TurnOwner::Own;
        if let Some(awaited) = &self.awaited {
            owner = awaited.owner(&turn, self.session.control());
            // A `command_lifecycle` message outside the prompt's turn means that it will have no turn.
            self.end = awaited.unanswered(&incoming).filter(|_| owner != TurnOwner::Own).map(Err);
        }
        if owner == TurnOwner::Other {
            self.session.skip(SessionEvent::Incoming(incoming, turn));
            return None;
        }
        let is_own = owner == TurnOwner::Own;
        if is_own && turn.end.is_some() {
            self.end = Some(result_of(&incoming));
        }
        if is_own
            && let Some(Message::Assistant(message)) = incoming.message()
            && message.parent_tool_use_id.is_none()
        {
            self.failure.clone_from(&message.error);
        }
        Some((incoming, is_own))
    }
}

impl Stream for Turn<'_> {
    type Item = Result<Incoming, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context).map(|next| next.map(|taken| taken.map(|(incoming, _)| incoming)))
    }
}

/// Returns the result in the last message of a turn.
fn result_of(last: &Incoming) -> Result<Box<TurnResult>, Error> {
    match last {
        Incoming::Message(Message::Result(result), _) => Ok(result.clone()),
        Incoming::Undecodable(error, line) => {
            Err(Error::UnreadableResult { why: error.to_string(), line: Some(line.clone()) })
        }
        Incoming::TooLong(fault) => Err(Error::UnreadableResult { why: fault.to_string(), line: None }),
        _ => Err(Error::NoResult { why: IDLE }),
    }
}

// Why a turn has no result.
const ID_USED: &str = "the CLI ignored the prompt, because its id was used before";
const COMPLETED: &str = "the CLI completed the prompt without a turn; was its id used before?";
const CANCELLED: &str = "the prompt was cancelled before its turn";
const IDLE: &str = "the CLI became idle";
const SESSION_ENDED: &str = "the session ended";
