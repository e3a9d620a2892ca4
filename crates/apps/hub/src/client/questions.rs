//! Questions of a server, answered by handlers.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use futures_util::FutureExt;
use rmcp::model::{ElicitResult, ElicitationAction};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::activity::Activity;
use crate::handlers::Handler;

/// The open questions of a server. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asking(Arc<Activity>);

/// How a question ended.
pub(super) enum QuestionEnd<A> {
    Answered(A),
    Cancelled,
    Panicked,
    /// Too many questions are open.
    TooMany,
}

impl Asking {
    /// Returns when the last question ended, or the current time while a question is open.
    ///
    /// Before the first question, returns the start of the connection.
    pub(crate) fn since(&self) -> Instant {
        self.0.idle_since().unwrap_or_else(Instant::now)
    }

    /// Asks the handler, until the question is cancelled.
    pub(super) async fn answer<Q, A>(
        &self,
        handler: &Handler<Q, A>,
        question: Q,
        cancelled: &CancellationToken,
    ) -> QuestionEnd<A> {
        let Some(_open) = self.0.wait_if_below(MAX_OPEN) else { return QuestionEnd::TooMany };
        let answer = AssertUnwindSafe(async { handler(question).await }).catch_unwind();
        tokio::select! {
            answer = answer => answer.map_or(QuestionEnd::Panicked, QuestionEnd::Answered),
            () = cancelled.cancelled() => QuestionEnd::Cancelled,
        }
    }
}

/// Calls a handler, and catches its panic: it must not end the connection.
pub(super) fn catch<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

pub(super) fn declined() -> ElicitResult {
    ElicitResult::new(ElicitationAction::Decline)
}

/// The maximum number of open questions of one server.
pub(super) const MAX_OPEN: usize = 64;
