//! The permission handler: answers `can_use_tool`.

mod audit;

use std::{future::Future, sync::Arc};

use agentwire_control::{CallContext, RefusalFn, Reply, Responder};
use agentwire_protocol::{InboundRequest, RawJson, control::CanUseTool, permission::Decision};

pub use audit::{AuditOutcome, PermissionAudit};

use crate::{
    IntoAnswer,
    question::{self, AnswerFuture, Handler},
};

/// A handler that decides whether the model may use a tool, if neither a rule nor the mode decides.
///
/// The CLI asks only with `--permission-prompt-tool=stdio`.
/// If the handler fails or panics, or if there is no handler, the answer is an error, which the CLI treats as a denial.
/// A handler may leave a request open (`None`): the next handler decides then ([`or`](Self::or)), and a request that no
/// handler decides is denied.
///
/// The CLI sets no time limit. A handler may set its own with `tokio::time::timeout`; the timeout error is a denial too.
/// The request races with `PermissionRequest` hooks. If a hook decides first, the CLI cancels the request: the
/// context's token is cancelled, the handler's future is dropped after a grace period, and no answer is sent.
/// An interrupt and the end of the session do the same, but at the end a denial is sent.
///
/// An `allow` without an input is sent with the original input: CLI 2.1.197 does not run the tool without an input, and
/// 2.1.330 treats the original as unchanged.
///
/// ```
/// use agentwire_hooks::{PermissionHandler, policy};
/// use agentwire_protocol::permission::Decision;
///
/// let handler = policy::deny(["WebFetch", "mcp__mail__*"], "nothing leaves this machine")
///     .or(policy::read_only())
///     .or(PermissionHandler::new(async |request, _cx| {
///         if request.requires_user_interaction { Decision::deny("nobody is here") } else { Decision::allow() }
///     }));
/// ```
///
/// A handler that uses `?` names its result type, as this one, which changes the input:
///
/// ```
/// use agentwire_hooks::{PermissionHandler, PermissionResult};
/// use agentwire_protocol::{RawJson, permission::Decision};
///
/// let dry_runs = PermissionHandler::new(async |request, _cx| -> PermissionResult {
///     let mut input: serde_json::Value = request.input.decode()?;
///     input["dry_run"] = true.into();
///     Ok(Decision::allow_with_input(RawJson::encode(&input)?))
/// });
/// ```
#[derive(Clone)]
pub struct PermissionHandler {
    /// Takes the request boxed, which keeps the futures small.
    decide: Handler<Box<CanUseTool>, Option<Decision>>,
}

impl PermissionHandler {
    /// Calls `handler` once for each request; calls may run concurrently.
    pub fn new<F, Fut>(handler: F) -> Self
    where
        F: Fn(CanUseTool, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<Option<Decision>>> + Send,
    {
        let handler = move |request: Box<CanUseTool>, context| handler(*request, context);
        Self { decide: question::erase("the permission handler", handler) }
    }

    /// Calls `next` if this handler leaves a request open.
    ///
    /// A failure does not leave the request open: the answer is the error, and `next` is not called.
    #[must_use]
    pub fn or(self, next: Self) -> Self {
        Self::erased(move |request, context| {
            let (first, next) = (Arc::clone(&self.decide), Arc::clone(&next.decide));
            Box::pin(async move {
                match first(request.clone(), context.clone()).await? {
                    Some(decision) => Ok(Some(decision)),
                    None => next(request, context).await,
                }
            })
        })
    }

    fn erased(
        decide: impl Fn(Box<CanUseTool>, CallContext) -> AnswerFuture<Option<Decision>> + Send + Sync + 'static,
    ) -> Self {
        Self { decide: Arc::new(decide) }
    }
}

agentwire_control::debug_by_name!(PermissionHandler);

/// Answers every `can_use_tool`.
impl Responder for PermissionHandler {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::CanUseTool(request) = request else { return None };
        let tool = request.tool_name.clone();
        let (asked, cancelled) = (request.input.clone(), context.cancelled.clone());
        let decision = (self.decide)(request, context);
        Some(Box::pin(async move {
            let answer = decision.await.and_then(|decision| {
                RawJson::encode(&settled(decision, asked))
                    .map_err(|error| format!("the decision can't be written: {error}").into())
            });
            if answer.is_err() && !cancelled.is_cancelled() {
                // The log omits the reason, which may quote the tool's input; it goes to the CLI and the observer.
                tracing::warn!(%tool, "a permission request has no decision");
            }
            answer
        }))
    }

    fn may_answer(&self, request: &InboundRequest) -> bool {
        matches!(request, InboundRequest::CanUseTool(_))
    }

    fn refusal(&self, request: &InboundRequest) -> Option<RefusalFn> {
        self.may_answer(request).then_some(|reason| RawJson::encode(&Decision::deny(reason)).ok())
    }
}

/// Returns the decision to send: no decision is a denial, and an `allow` gets an input.
fn settled(decision: Option<Decision>, asked: RawJson) -> Decision {
    let mut decision = decision.unwrap_or_else(|| Decision::deny(UNDECIDED));
    if let Decision::Allow(allow) = &mut decision {
        allow.updated_input.get_or_insert(asked);
    }
    decision
}

/// The denial's text for the model if every handler leaves the request open.
const UNDECIDED: &str = "nothing here permits this use of the tool";
