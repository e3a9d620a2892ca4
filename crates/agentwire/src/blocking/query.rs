//! One prompt in, an iterator of messages out.

use std::sync::Arc;

use agentwire_codec::Incoming;
use agentwire_protocol::message::UserInput;

use super::{Control, Session, runtime::Runtime};
use crate::{Error, Options};

/// Asks once, and gives all that the CLI says until it has ended.
///
/// See [`query`](fn@crate::query) for when that is.
///
/// # Errors
///
/// As [`SessionBuilder::connect_blocking`](crate::SessionBuilder::connect_blocking).
pub fn query(prompt: impl Into<UserInput>, options: Options) -> Result<Query, Error> {
    Session::connect(options)?.into_query(prompt)
}

/// What a single prompt brings: an iterator that ends with the CLI, each step of which blocks.
///
/// It ends badly with one `Err`.
/// Dropping it ends the CLI in the background.
#[derive(Debug)]
pub struct Query {
    // Before the runtime, which it must be dropped with.
    query: crate::Query,
    runtime: Arc<Runtime>,
}

impl Query {
    pub(super) fn new(query: crate::Query, runtime: Arc<Runtime>) -> Self {
        Self { query, runtime }
    }

    /// The handle for control requests, for this thread and others.
    pub fn control(&self) -> Control {
        Control::new(self.query.control().clone(), Arc::clone(&self.runtime))
    }
}

impl Iterator for Query {
    type Item = Result<Incoming, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.runtime.block_on(self.query.next())
    }
}
