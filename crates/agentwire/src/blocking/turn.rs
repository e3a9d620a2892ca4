//! A turn as an iterator.

use agentwire_codec::Incoming;
use agentwire_protocol::{Uuid, message::TurnResult};

use serde::de::DeserializeOwned;

use super::runtime::Runtime;
use crate::{Answer, Error};

/// What comes until a result, the result included: an iterator, each step of which blocks.
///
/// See [`Turn`](crate::Turn) for what comes in which order.
/// Dropping it loses nothing: the rest of the turn stays in the session.
#[derive(Debug)]
pub struct Turn<'a> {
    turn: crate::Turn<'a>,
    runtime: &'a Runtime,
}

impl<'a> Turn<'a> {
    pub(super) fn new(turn: crate::Turn<'a>, runtime: &'a Runtime) -> Self {
        Self { turn, runtime }
    }

    /// Reads to the end of the turn, and gives its result.
    ///
    /// # Errors
    ///
    /// As [`Turn::finish`](crate::Turn::finish).
    pub fn finish(self) -> Result<Option<Box<TurnResult>>, Error> {
        self.runtime.block_on(self.turn.finish())
    }

    /// Reads to the end of the turn, and gives the answer as a whole.
    ///
    /// # Errors
    ///
    /// As [`Turn::answer`](crate::Turn::answer).
    pub fn answer(self) -> Result<Answer, Error> {
        self.runtime.block_on(self.turn.answer())
    }

    /// Reads to the end of the turn, and gives the text of the answer.
    ///
    /// # Errors
    ///
    /// As [`Turn::text`](crate::Turn::text).
    pub fn text(self) -> Result<String, Error> {
        self.runtime.block_on(self.turn.text())
    }

    /// Reads to the end of the turn, and gives its structured output.
    ///
    /// # Errors
    ///
    /// As [`Turn::structured`](crate::Turn::structured).
    pub fn structured<T: DeserializeOwned>(self) -> Result<T, Error> {
        self.runtime.block_on(self.turn.structured())
    }

    /// As [`structured`](Self::structured), and asks again at most `retries` times while the output does not fit.
    ///
    /// # Errors
    ///
    /// As [`Turn::structured_retrying`](crate::Turn::structured_retrying).
    pub fn structured_retrying<T: DeserializeOwned>(self, retries: u32) -> Result<T, Error> {
        self.runtime.block_on(self.turn.structured_retrying(retries))
    }

    /// The id of the prompt whose turn it is, for the turn of an [`ask`](super::Session::ask).
    pub fn prompt(&self) -> Option<&Uuid> {
        self.turn.prompt()
    }

    /// As [`Session::leftovers`](super::Session::leftovers), in the middle of the turn.
    pub fn leftovers(&mut self) -> Vec<Incoming> {
        self.turn.leftovers()
    }

    /// The result, once it came.
    pub fn result(&self) -> Option<&TurnResult> {
        self.turn.result()
    }
}

impl Iterator for Turn<'_> {
    type Item = Result<Incoming, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.runtime.block_on(self.turn.next())
    }
}
