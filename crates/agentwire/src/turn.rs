//! A turn: the messages up to a result.

mod answer;
mod schema;

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
};

use agentwire_codec::Incoming;
use agentwire_control::{Control, SessionEvent, TurnEnd};
use agentwire_protocol::{Message, Uuid, message::TurnResult, usage::Usage};
use futures_core::Stream;

pub use answer::Answer;
pub(crate) use schema::Schema;

use crate::{
    Error, Session,
    session::{ExpectedTurn, TurnOwner, settles},
};

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
/// Messages of other turns are set aside meanwhile, see [`Session::leftovers`]. Messages that belong to no turn, such
/// as receipts and news of background work, are returned here in order.
/// A CLI that names no prompts (2.1.197) is assumed to answer in order: the first turn that ends after the prompt was
/// sent counts as its own, even if it is the rest of a turn interrupted just before.
///
/// [`Session::turn`] returns all messages up to the next result.
///
/// # Dropping
///
/// Dropping it loses nothing: [`Session::next`] and [`Session::turn`] return the rest of the turn.
#[derive(Debug)]
#[must_use = "a turn is read by polling it"]
pub struct Turn<'a> {
    session: &'a mut Session,
    /// The awaited prompt; `None` accepts any turn.
    awaited: Option<ExpectedTurn>,
    result: Option<Box<TurnResult>>,
    /// The error of the last message returned, if it could not be decoded.
    unread: Option<Error>,
    /// Whether a message of this turn was returned.
    begun: bool,
    /// Whether the last message returned belongs to the turn; receipts and background news belong to none.
    own: bool,
    ended: bool,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(session: &'a mut Session, awaited: Option<ExpectedTurn>) -> Self {
        Self { session, awaited, result: None, unread: None, begun: false, own: false, ended: false }
    }

    /// Returns the id of the prompt, for the turn of an [`ask`](Session::ask).
    pub fn prompt(&self) -> Option<&Uuid> {
        self.awaited.as_ref().map(|awaited| &awaited.prompt)
    }

    /// Returns the next message of this turn; `None` when the turn has ended.
    ///
    /// # Cancellation
    ///
    /// Cancel-safe: nothing is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] if the session ends with an error first.
    /// [`ControlError::Backlogged`](crate::ControlError::Backlogged) if the messages of other turns exceed
    /// [`Config::unread_hard_limit`](crate::control::Config::unread_hard_limit): take the
    /// [`leftovers`](Self::leftovers) and continue.
    pub async fn next(&mut self) -> Option<Result<Incoming, Error>> {
        poll_fn(|context| self.poll(context)).await
    }

    /// Reads to the end of the turn and returns its result.
    ///
    /// Returns `None` if the session ended without an error before a result, or the prompt was cancelled.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next), and [`Error::UnreadableResult`] if the turn ended with a `result` that can't be
    /// decoded; the session continues.
    /// An error result is returned as `Ok`: see [`TurnResult::is_error`].
    pub async fn finish(mut self) -> Result<Option<Box<TurnResult>>, Error> {
        while let Some(incoming) = self.next().await {
            incoming?;
        }
        self.take_result()
    }

    fn take_result(&mut self) -> Result<Option<Box<TurnResult>>, Error> {
        self.unread.take().map_or_else(|| Ok(self.result.take()), Err)
    }

    /// Returns the result, once it has arrived.
    pub fn result(&self) -> Option<&TurnResult> {
        self.result.as_deref()
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

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Incoming, Error>>> {
        while !self.ended {
            let delivery = if self.awaited.is_none() {
                ready!(self.session.poll_delivery(context))
            } else if let Some(error) = self.session.backlog() {
                return Poll::Ready(Some(Err(error)));
            } else {
                ready!(self.session.poll_arrival(context))
            };
            match delivery {
                Some(Ok(delivery)) => {
                    if let Some(incoming) = self.take(delivery) {
                        return Poll::Ready(Some(Ok(incoming)));
                    }
                }
                Some(Err(error)) => {
                    self.ended = true;
                    return Poll::Ready(Some(Err(error)));
                }
                None => self.ended = true,
            }
        }
        Poll::Ready(None)
    }

    /// Returns the message to yield, if any.
    fn take(&mut self, delivery: SessionEvent) -> Option<Incoming> {
        let named = self.session.control().names_prompts();
        let owner = self.awaited.as_ref().map(|awaited| self.session.cursor().owner(awaited, named));
        match delivery {
            other if owner == Some(TurnOwner::Other) => {
                if let (SessionEvent::Incoming(incoming), Some(awaited)) = (&other, &self.awaited)
                    && settles(incoming, &awaited.prompt)
                {
                    self.ended = true;
                }
                self.session.defer(other);
                None
            }
            SessionEvent::Incoming(incoming) => {
                self.begun = true;
                self.own = owner != Some(TurnOwner::NoTurn);
                self.unread = unread(&incoming);
                if let Some(Message::Result(result)) = incoming.message() {
                    self.result = Some(result.clone());
                }
                // A receipt outside the prompt's turn means that it will have no turn.
                let settled = self.prompt().is_some_and(|prompt| settles(&incoming, prompt));
                self.ended |= settled && !self.own;
                Some(incoming)
            }
            // The error with the reason comes next.
            SessionEvent::TurnEnded(TurnEnd::NoResult) => None,
            SessionEvent::TurnEnded(end) => {
                // An end before any message belongs to a result that was read before this turn.
                self.ended = match owner {
                    Some(TurnOwner::NoTurn) => self.begun && !named,
                    _ => self.begun,
                };
                self.unread = self.unread.take().filter(|_| end == TurnEnd::Unreadable);
                None
            }
            _ => None,
        }
    }
}

impl Stream for Turn<'_> {
    type Item = Result<Incoming, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

/// Returns the error for an undecodable message, in case it was the turn's result.
fn unread(incoming: &Incoming) -> Option<Error> {
    match incoming {
        Incoming::Undecodable(error, line) => {
            Some(Error::UnreadableResult { why: error.to_string(), line: Some(line.clone()) })
        }
        Incoming::TooLong(fault) => Some(Error::UnreadableResult { why: fault.to_string(), line: None }),
        _ => None,
    }
}
