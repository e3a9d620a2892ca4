//! Questions of a server, answered by handlers.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::FutureExt;
use rmcp::model::{ElicitResult, ElicitationAction};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::handlers::Handler;

/// The open questions of a server. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asking(Arc<Mutex<Questions>>);

#[derive(Debug, Default)]
struct Questions {
    open: usize,
    /// When the last question was answered.
    answered: Option<Instant>,
}

/// How a question ended.
pub(super) enum QuestionEnd<A> {
    Answered(A),
    Cancelled,
    Panicked,
    /// Too many questions are open.
    TooMany,
}

impl Asking {
    /// Returns when the last question ended, or the present while a question is open.
    pub(crate) fn since(&self) -> Option<Instant> {
        let questions = self.lock();
        if questions.open > 0 { Some(Instant::now()) } else { questions.answered }
    }

    fn lock(&self) -> MutexGuard<'_, Questions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the handler, until the question is cancelled.
    pub(super) async fn answer<Q, A>(
        &self,
        handler: &Handler<Q, A>,
        question: Q,
        cancelled: &CancellationToken,
    ) -> QuestionEnd<A> {
        let Some(_open) = OpenQuestion::new(self) else { return QuestionEnd::TooMany };
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

struct OpenQuestion<'a>(&'a Asking);

impl<'a> OpenQuestion<'a> {
    fn new(asking: &'a Asking) -> Option<Self> {
        let mut questions = asking.lock();
        if questions.open == MAX_OPEN {
            return None;
        }
        questions.open += 1;
        Some(Self(asking))
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        let mut questions = self.0.lock();
        questions.open -= 1;
        questions.answered = Some(Instant::now());
    }
}

/// The maximum number of open questions of one server.
pub(super) const MAX_OPEN: usize = 64;
