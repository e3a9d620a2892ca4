//! A turn: what comes until a result.

use agentwire_codec::Incoming;
use agentwire_control::{Control, Delivery, TurnEnd};
use agentwire_protocol::{Message, message::TurnResult};

use crate::{Error, Session};

/// What comes until a result, the result included.
///
/// What came after an earlier result, such as news of background work, comes first.
/// Dropping it loses nothing: the rest of the turn stays in the session, and is what the next `Turn` gives.
#[derive(Debug)]
pub struct Turn<'a> {
    session: &'a mut Session,
    result: Option<Box<TurnResult>>,
    /// Why the last thing given out can't be read, where it can't.
    unread: Option<Error>,
    /// Whether anything of this turn was given out.
    begun: bool,
    ended: bool,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(session: &'a mut Session) -> Self {
        Self { session, result: None, unread: None, begun: false, ended: false }
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
    pub async fn next(&mut self) -> Option<Result<Incoming, Error>> {
        while !self.ended {
            match self.session.next_delivery().await {
                Some(Ok(Delivery::Incoming(incoming))) => {
                    self.begun = true;
                    self.unread = unread(&incoming);
                    if let Some(Message::Result(result)) = incoming.message() {
                        self.result = Some(result.clone());
                    }
                    return Some(Ok(incoming));
                }
                // The error that says why comes next.
                Some(Ok(Delivery::TurnEnded(TurnEnd::NoResult))) => {}
                // An end right at the start belongs to a result that was read before, past this turn.
                Some(Ok(Delivery::TurnEnded(end))) => {
                    self.ended = self.begun;
                    self.unread = self.unread.take().filter(|_| end == TurnEnd::Unreadable);
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                None => self.ended = true,
            }
        }
        None
    }

    /// Reads to the end of the turn, and gives its result.
    ///
    /// `None` where the session ended well without one.
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
        self.unread.take().map_or_else(|| Ok(self.result.take()), Err)
    }

    /// The result, once it came.
    pub fn result(&self) -> Option<&TurnResult> {
        self.result.as_deref()
    }

    /// The handle for control requests, in the middle of the turn too.
    pub fn control(&self) -> &Control {
        self.session.control()
    }

    /// The session that the turn belongs to.
    pub fn session(&self) -> &Session {
        self.session
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
