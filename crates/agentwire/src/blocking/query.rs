//! A blocking query: one prompt in, an iterator of messages out.

use std::sync::Arc;

use agentwire_codec::Incoming;
use agentwire_protocol::message::UserInput;

use super::{ControlHandle, Session, runtime::Runtime};
use crate::{Error, Options, Warning};

/// Sends one prompt and returns all messages until the CLI has exited.
///
/// See [`query`](fn@crate::query) for when it exits.
///
/// # Errors
///
/// As [`SessionBuilder::connect_blocking`](crate::SessionBuilder::connect_blocking).
pub fn query(prompt: impl Into<UserInput>, options: Options) -> Result<Query, Error> {
    Session::connect(options)?.into_query(prompt)
}

/// The messages of a query: a blocking iterator that ends with the CLI.
///
/// If the session ends with an error, the last item is one `Err`.
/// Dropping it ends the CLI in the background.
#[derive(Debug)]
pub struct Query {
    // Declared before the runtime, so that it is dropped first.
    pub(super) query: crate::Query,
    pub(super) runtime: Arc<Runtime>,
}

impl Query {
    /// Returns the handle for control requests, for this thread and others.
    pub fn control(&self) -> ControlHandle {
        ControlHandle::new(self.query.control(), &self.runtime)
    }

    /// Returns the warnings of the session, as [`Session::warnings`] does.
    pub fn warnings(&self) -> &[Warning] {
        self.query.warnings()
    }
}

impl Iterator for Query {
    type Item = Result<Incoming, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.runtime.block_on(self.query.next())
    }
}
