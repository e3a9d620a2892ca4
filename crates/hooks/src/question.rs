//! Handlers of the CLI's questions to the user: permissions, elicitations and dialogs.

use std::{future::Future, pin::Pin, sync::Arc};

use agentwire_control::{CallContext, CallbackError, Reply};
use agentwire_protocol::RawJson;
use serde::Serialize;

use crate::{IntoAnswer, callback::answer, error::HandlerError};

/// A handler of questions `Q` with answers `A`.
pub(crate) type Handler<Q, A> = Arc<dyn Fn(Q, CallContext) -> AnswerFuture<A> + Send + Sync>;

pub(crate) type AnswerFuture<A> = Pin<Box<dyn Future<Output = Result<A, CallbackError>> + Send>>;

/// Erases the type of `handler`; `name` names it in the text of a failure.
pub(crate) fn erase<Q, A, F, Fut>(name: &'static str, handler: F) -> Handler<Q, A>
where
    Q: Send + 'static,
    F: Fn(Q, CallContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoAnswer<A>> + Send,
{
    let handler = Arc::new(handler);
    Arc::new(move |question, context| {
        let handler = Arc::clone(&handler);
        Box::pin(async move {
            answer(|| (*handler)(question, context)).await.map_err(|error| {
                let (kind, answer) = (error.kind(), format!("{name} {error}"));
                let reason = match error {
                    HandlerError::Failed(reason) | HandlerError::Panicked(reason) => reason,
                    other => other.to_string(),
                };
                CallbackError::new(kind, reason).with_answer(Err(answer))
            })
        })
    })
}

/// Replies with the answer, or with `dismissal` after a failure, which `log` logs.
///
/// The reason for a failure may quote the question, so it is not logged.
pub(crate) fn dismissing<A: Serialize + Send + 'static>(
    answer: AnswerFuture<A>,
    dismissal: A,
    log: impl FnOnce() + Send + 'static,
) -> Reply {
    let encode =
        |answer| RawJson::encode(&answer).map_err(|error| format!("the answer can't be written: {error}"));
    Box::pin(async move {
        match answer.await {
            Ok(answer) => encode(answer).map_err(CallbackError::from),
            Err(error) => {
                log();
                Err(error.with_answer(encode(dismissal)))
            }
        }
    })
}
