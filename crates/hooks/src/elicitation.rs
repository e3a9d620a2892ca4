//! The elicitation callback: answers `elicitation`.

use std::{fmt, fmt::Display, future::Future, pin::Pin, sync::Arc};

use agentwire_control::{CallContext, CallbackError, RefusalFn, Reply, Responder};
use agentwire_protocol::{
    InboundRequest, RawJson,
    control::ElicitationAsked,
    elicitation::{ElicitationAction, ElicitationReply},
};

use crate::{callback, excerpt};

/// A handler for elicitations, by which MCP servers ask the user to fill in a form or to open a page.
///
/// Only servers that the CLI runs itself can elicit; the CLI refuses elicitations of in-process servers.
/// An `Elicitation` hook may answer first, and an `ElicitationResult` hook may change the answer.
/// If the handler fails or panics, the answer is a cancel, as if the user had left. Without a handler the answer is an
/// error, which the CLI treats as a cancel.
/// An interrupt cancels the elicitation, and the context's token fires.
///
/// ```
/// use agentwire_hooks::ElicitationHandler;
/// use agentwire_protocol::{RawJson, elicitation::ElicitationReply};
///
/// let handler = ElicitationHandler::new(async |question, _cx| match question.requested_schema {
///     Some(_) => RawJson::parse(r#"{"name":"Ada"}"#).map(ElicitationReply::accept),
///     None => Ok(ElicitationReply::decline()),
/// });
/// ```
#[derive(Clone)]
pub struct ElicitationHandler {
    answer: Arc<dyn Fn(ElicitationAsked, CallContext) -> AnswerFuture + Send + Sync>,
}

type AnswerFuture = Pin<Box<dyn Future<Output = Result<ElicitationReply, CallbackError>> + Send>>;

impl ElicitationHandler {
    /// Calls `handler` once for each elicitation; calls may run concurrently.
    pub fn new<F, Fut>(handler: F) -> Self
    where
        F: Fn(ElicitationAsked, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send,
        Fut::Output: IntoElicitationReply,
    {
        let handler = Arc::new(handler);
        let answer = move |question, context| -> AnswerFuture {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                let ask = || (*handler)(question, context);
                callback::call("the handler", ask, IntoElicitationReply::into_elicitation_reply).await
            })
        };
        Self { answer: Arc::new(answer) }
    }
}

impl fmt::Debug for ElicitationHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ElicitationHandler").finish_non_exhaustive()
    }
}

/// Answers every `elicitation`.
impl Responder for ElicitationHandler {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::Elicitation(question) = request else { return None };
        let server = question.mcp_server_name.clone();
        let answer = (self.answer)(*question, context);
        Some(Box::pin(async move {
            let encode = |reply| {
                RawJson::encode(&reply).map_err(|error| format!("the answer can't be written: {error}"))
            };
            match answer.await {
                Ok(reply) => encode(reply).map_err(CallbackError::from),
                Err(error) => {
                    // The reason may quote the question.
                    tracing::warn!(%server, "a question of an MCP server is cancelled");
                    Err(error.with_answer(encode(ElicitationReply::cancel())))
                }
            }
        }))
    }

    fn may_answer(&self, request: &InboundRequest) -> bool {
        matches!(request, InboundRequest::Elicitation(_))
    }

    fn refusal(&self, request: &InboundRequest) -> Option<RefusalFn> {
        self.may_answer(request).then_some(|_| RawJson::encode(&ElicitationReply::cancel()).ok())
    }
}

/// A value that an elicitation handler may return: an [`ElicitationReply`], an [`ElicitationAction`] without a form, or a
/// `Result` of either.
pub trait IntoElicitationReply {
    /// Converts the value into the answer.
    ///
    /// # Errors
    ///
    /// The handler's error; the elicitation is cancelled.
    fn into_elicitation_reply(self) -> Result<ElicitationReply, String>;
}

impl IntoElicitationReply for ElicitationReply {
    fn into_elicitation_reply(self) -> Result<ElicitationReply, String> {
        Ok(self)
    }
}

impl IntoElicitationReply for ElicitationAction {
    fn into_elicitation_reply(self) -> Result<ElicitationReply, String> {
        Ok(ElicitationReply::new(self))
    }
}

/// An error is never an accept.
impl<R: IntoElicitationReply, D: Display> IntoElicitationReply for Result<R, D> {
    fn into_elicitation_reply(self) -> Result<ElicitationReply, String> {
        match self {
            Ok(reply) => reply.into_elicitation_reply(),
            Err(error) => Err(excerpt(&error.to_string()).into_owned()),
        }
    }
}
