//! A question of a server's, and the handler that answers it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::FutureExt;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::Value;
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
    TakenBack,
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

    /// Asks the handler, until the question is taken back.
    pub(super) async fn answer<Q, A>(
        &self,
        handler: &Handler<Q, A>,
        question: Q,
        taken_back: &CancellationToken,
    ) -> Asked<A> {
        let Some(_open) = Open::new(self) else { return Asked::TooMany };
        let answer = AssertUnwindSafe(async { handler(question).await }).catch_unwind();
        tokio::select! {
            answer = answer => answer.map_or(Asked::Panicked, Asked::Answered),
            () = taken_back.cancelled() => Asked::TakenBack,
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

/// The schema of a form, of which the answer may leave out what has a default.
pub(super) fn schema(request: &ElicitRequestParams) -> Option<Value> {
    match request {
        ElicitRequestParams::FormElicitationParams { requested_schema, .. } => {
            serde_json::to_value(requested_schema).ok()
        }
        _ => None,
    }
}

/// An answer with the defaults in it of what it leaves out.
pub(super) fn filled(mut answer: ElicitResult, schema: Option<&Value>) -> ElicitResult {
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    if let (ElicitationAction::Accept, Some(properties)) = (&answer.action, properties)
        && let Value::Object(content) =
            answer.content.get_or_insert_with(|| Value::Object(serde_json::Map::new()))
    {
        for (name, property) in properties {
            if let (Some(default), false) = (property.get("default"), content.contains_key(name)) {
                content.insert(name.clone(), default.clone());
            }
        }
    }
    answer
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
