//! A turn as a blocking iterator.

use std::sync::Arc;

use agentwire_codec::Incoming;
use agentwire_protocol::{Uuid, message::TurnResult, usage::Usage};
use serde::de::DeserializeOwned;

use super::{ControlHandle, runtime::Runtime};
use crate::{Error, TurnAnswer};

/// The messages of one turn, including its result: a blocking iterator.
///
/// See [`Turn`](crate::Turn) for its messages and their order.
/// Dropping it loses nothing: the session returns the rest of the turn.
#[derive(Debug)]
pub struct Turn<'a> {
    pub(super) turn: crate::Turn<'a>,
    pub(super) runtime: &'a Arc<Runtime>,
}

impl Turn<'_> {
    /// Reads to the end of the turn and returns its result.
    ///
    /// # Errors
    ///
    /// As [`Turn::finish`](crate::Turn::finish).
    pub fn finish(self) -> Result<Option<Box<TurnResult>>, Error> {
        self.runtime.block_on(self.turn.finish())
    }

    /// Reads to the end of the turn and returns the whole answer.
    ///
    /// # Errors
    ///
    /// As [`Turn::answer`](crate::Turn::answer).
    pub fn answer(self) -> Result<TurnAnswer, Error> {
        self.runtime.block_on(self.turn.answer())
    }

    /// Reads to the end of the turn and returns the text of the answer.
    ///
    /// # Errors
    ///
    /// As [`Turn::text`](crate::Turn::text).
    pub fn text(self) -> Result<String, Error> {
        self.runtime.block_on(self.turn.text())
    }

    /// Reads to the end of the turn and returns its structured output.
    ///
    /// # Errors
    ///
    /// As [`Turn::structured`](crate::Turn::structured).
    pub fn structured<T: DeserializeOwned>(self) -> Result<T, Error> {
        self.runtime.block_on(self.turn.structured())
    }

    /// As [`structured`](Self::structured), but asks again at most `retries` times while the output does not match.
    ///
    /// # Errors
    ///
    /// As [`Turn::structured_retrying`](crate::Turn::structured_retrying).
    pub fn structured_retrying<T: DeserializeOwned>(self, retries: u32) -> Result<T, Error> {
        self.runtime.block_on(self.turn.structured_retrying(retries))
    }

    /// Returns the id of the prompt, for the turn of an [`ask`](super::Session::ask).
    pub fn prompt(&self) -> Option<&Uuid> {
        self.turn.prompt()
    }

    /// As [`Session::leftovers`](super::Session::leftovers), during the turn.
    pub fn leftovers(&mut self) -> Vec<Incoming> {
        self.turn.leftovers()
    }

    /// Returns the result, once it has arrived.
    pub fn result(&self) -> Option<&TurnResult> {
        self.turn.result()
    }

    /// Returns the tokens used by the turn's main conversation, once the result has arrived.
    pub fn usage(&self) -> Option<&Usage> {
        self.turn.usage()
    }

    /// Returns the handle for control requests, for this thread and others.
    pub fn control(&self) -> ControlHandle {
        ControlHandle::new(self.turn.control(), self.runtime)
    }
}

impl Iterator for Turn<'_> {
    type Item = Result<Incoming, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.runtime.block_on(self.turn.next())
    }
}
