//! The elicitation callback: answers `elicitation`.

use std::future::Future;

use agentwire_control::{CallContext, RefusalFn, Reply, Responder};
use agentwire_protocol::{InboundRequest, RawJson, control::ElicitationAsked, elicitation::ElicitationReply};

use crate::{
    IntoAnswer,
    question::{self, Handler},
};

/// A handler for elicitations, by which MCP servers ask the user to fill in a form or to open a page.
///
/// Only servers that the CLI runs itself can elicit; the CLI refuses elicitations of in-process servers, and
/// cancels those of an agent's own servers (2.1.330).
/// An `Elicitation` hook may answer first, and an `ElicitationResult` hook may change the answer.
/// If the handler fails or panics, the answer is a cancel, as if the user had left. Without a handler the answer is an
/// error, which the CLI treats as a cancel.
/// An interrupt cancels the elicitation and the context's token.
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
    answer: Handler<ElicitationAsked, ElicitationReply>,
}

impl ElicitationHandler {
    /// Calls `handler` once for each elicitation; calls may run concurrently.
    pub fn new<F, Fut>(handler: F) -> Self
    where
        F: Fn(ElicitationAsked, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<ElicitationReply>> + Send,
    {
        Self { answer: question::erase("the handler", handler) }
    }
}

agentwire_control::debug_by_name!(ElicitationHandler);

/// Answers every `elicitation`.
impl Responder for ElicitationHandler {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::Elicitation(question) = request else { return None };
        let server = question.mcp_server_name.clone();
        let answer = (self.answer)(*question, context);
        let log = move || tracing::warn!(%server, "a question of an MCP server is cancelled");
        Some(question::dismissing(answer, ElicitationReply::cancel(), log))
    }

    fn may_answer(&self, request: &InboundRequest) -> bool {
        matches!(request, InboundRequest::Elicitation(_))
    }

    fn refusal(&self, request: &InboundRequest) -> Option<RefusalFn> {
        self.may_answer(request).then_some(|_| RawJson::encode(&ElicitationReply::cancel()).ok())
    }
}
