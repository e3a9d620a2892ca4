//! A turn: what comes until a result.

mod answer;
mod schema;

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
};

use agentwire_codec::Incoming;
use agentwire_control::{Control, Delivery, TurnEnd};
use agentwire_protocol::{Message, Uuid, message::TurnResult, usage::Usage};
use futures_core::Stream;

pub use answer::Answer;
pub(crate) use schema::Schema;

use crate::{
    Error, Session,
    session::{ExpectedTurn, TurnOwner, settles},
};

/// What comes until a result, the result included: a stream that ends with it.
///
/// # What belongs to it
///
/// The turn of an [`ask`](Session::ask) is that of its prompt.
/// The CLI names the prompts that a turn answers, by their ids, from its first message on.
/// Several prompts that waited together are one turn, which is each one's own: its result lists them all
/// (`user_message_uuids`).
/// A prompt that the running turn takes in has the rest of that turn.
/// A prompt that is cancelled before it begins has a turn without a result.
///
/// What other turns say meanwhile is set aside, see [`Session::leftovers`]; what belongs to no turn, such as news of
/// background work and receipts, comes here, in its place.
/// A CLI that names no prompts (2.1.197) is believed to answer in order: there the first turn that ends after the prompt
/// was sent is its own, also where that is the rest of a turn that was interrupted just before.
///
/// [`Session::turn`] gives whatever comes until the next result.
///
/// # Dropping
///
/// Dropping it loses nothing: the rest of the turn stays in the session, for [`Session::next`] and [`Session::turn`].
#[derive(Debug)]
#[must_use = "a turn is read by polling it"]
pub struct Turn<'a> {
    session: &'a mut Session,
    /// The prompt whose turn it is; any turn will do without.
    awaited: Option<ExpectedTurn>,
    result: Option<Box<TurnResult>>,
    /// Why the last thing given out can't be read, where it can't.
    unread: Option<Error>,
    /// Whether anything of this turn was given out.
    begun: bool,
    /// Whether what was given out last is the turn's own, and not news that came between.
    own: bool,
    ended: bool,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(session: &'a mut Session, awaited: Option<ExpectedTurn>) -> Self {
        Self { session, awaited, result: None, unread: None, begun: false, own: false, ended: false }
    }

    /// The id of the prompt whose turn it is, for the turn of an [`ask`](Session::ask).
    pub fn prompt(&self) -> Option<&Uuid> {
        self.awaited.as_ref().map(|awaited| &awaited.prompt)
    }

    /// The next thing that the CLI says in this turn; `None` when the turn has ended.
    ///
    /// # Cancellation
    ///
    /// Cancel-safe: nothing is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] when the session ends badly first.
    /// [`ControlError::Backlogged`](crate::ControlError::Backlogged) when other turns have said more than
    /// [`Config::unread_hard_limit`](crate::control::Config::unread_hard_limit) meanwhile: take the
    /// [`leftovers`](Self::leftovers), and go on.
    pub async fn next(&mut self) -> Option<Result<Incoming, Error>> {
        poll_fn(|context| self.poll(context)).await
    }

    /// Reads to the end of the turn, and gives its result.
    ///
    /// `None` where the session ended well without one, or the prompt was cancelled.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next), and [`Error::UnreadableResult`] where the turn ended with a `result` that can't be
    /// read; the session goes on.
    /// A result that is an error is a result: see [`TurnResult::is_error`].
    pub async fn finish(mut self) -> Result<Option<Box<TurnResult>>, Error> {
        while let Some(incoming) = self.next().await {
            incoming?;
        }
        self.take_result()
    }

    fn take_result(&mut self) -> Result<Option<Box<TurnResult>>, Error> {
        self.unread.take().map_or_else(|| Ok(self.result.take()), Err)
    }

    /// The result, once it came.
    pub fn result(&self) -> Option<&TurnResult> {
        self.result.as_deref()
    }

    /// The tokens that the turn's main conversation took, once the result came.
    pub fn usage(&self) -> Option<&Usage> {
        self.result()?.usage.as_ref()
    }

    /// As [`Session::leftovers`], in the middle of the turn.
    pub fn leftovers(&mut self) -> Vec<Incoming> {
        self.session.leftovers()
    }

    /// The handle for control requests, in the middle of the turn too.
    pub fn control(&self) -> &Control {
        self.session.control()
    }

    /// The session that the turn belongs to.
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

    /// What is to be given out of it, if anything.
    fn take(&mut self, delivery: Delivery) -> Option<Incoming> {
        let named = self.session.control().names_prompts();
        let whose = self.awaited.as_ref().map(|awaited| self.session.place().whose(awaited, named));
        match delivery {
            other if whose == Some(TurnOwner::Other) => {
                if let (Delivery::Incoming(incoming), Some(awaited)) = (&other, &self.awaited)
                    && settles(incoming, &awaited.prompt)
                {
                    self.ended = true;
                }
                self.session.set_aside(other);
                None
            }
            Delivery::Incoming(incoming) => {
                self.begun = true;
                self.own = whose != Some(TurnOwner::Nobody);
                self.unread = unread(&incoming);
                if let Some(Message::Result(result)) = incoming.message() {
                    self.result = Some(result.clone());
                }
                // Said outside of its turn, it says that it will have none.
                let settled = self.prompt().is_some_and(|prompt| settles(&incoming, prompt));
                self.ended |= settled && !self.own;
                Some(incoming)
            }
            // The error that says why comes next.
            Delivery::TurnEnded(TurnEnd::NoResult) => None,
            Delivery::TurnEnded(end) => {
                // An end right at the start belongs to a result that was read before, past this turn.
                self.ended = match whose {
                    Some(TurnOwner::Nobody) => self.begun && !named,
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

/// Why something can't be read, as the error that it is where it was the turn's result.
fn unread(incoming: &Incoming) -> Option<Error> {
    match incoming {
        Incoming::Undecodable(error, line) => {
            Some(Error::UnreadableResult { why: error.to_string(), line: Some(line.clone()) })
        }
        Incoming::TooLong(fault) => Some(Error::UnreadableResult { why: fault.to_string(), line: None }),
        _ => None,
    }
}
