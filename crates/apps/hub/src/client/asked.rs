//! A question of a server's, and the handler that answers it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::FutureExt;
use rmcp::model::{ElicitResult, ElicitationAction};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::handlers::Handler;

/// Whether the server waits for answers of the program's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asking(Arc<Mutex<Questions>>);

#[derive(Debug, Default)]
struct Questions {
    open: usize,
    /// When the last one was answered.
    answered: Option<Instant>,
}

/// How a question ended.
pub(super) enum Asked<A> {
    Answered(A),
    Cancelled,
    Panicked,
    /// There are as many open ones as there may be.
    TooMany,
}

impl Asking {
    /// Since when the server can go on with its calls, where it has asked: now at the earliest, while it waits.
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
    ) -> Asked<A> {
        let Some(_open) = Open::new(self) else { return Asked::TooMany };
        let answer = AssertUnwindSafe(async { handler(question).await }).catch_unwind();
        tokio::select! {
            answer = answer => answer.map_or(Asked::Panicked, Asked::Answered),
            () = cancelled.cancelled() => Asked::Cancelled,
        }
    }
}

/// Calls what must not take the connection with it when it panics.
pub(super) fn catch<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

pub(super) fn declined() -> ElicitResult {
    ElicitResult::new(ElicitationAction::Decline)
}

struct Open<'a>(&'a Asking);

impl<'a> Open<'a> {
    fn new(asking: &'a Asking) -> Option<Self> {
        let mut questions = asking.lock();
        if questions.open == MAX_OPEN {
            return None;
        }
        questions.open += 1;
        Some(Self(asking))
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut questions = self.0.lock();
        questions.open -= 1;
        questions.answered = Some(Instant::now());
    }
}

/// How many questions one server may have open: nobody answers more, and each takes memory.
pub(super) const MAX_OPEN: usize = 64;
