//! The permission callback: answers `can_use_tool`.

mod audit;
mod decision;

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use agentwire_control::{CallContext, CallbackError, Refusal, Reply, Responder};
use agentwire_protocol::{InboundRequest, RawJson, control::CanUseTool, permission::Decision};

pub use audit::{Audit, Outcome};
pub use decision::{IntoDecision, PermissionResult};

use crate::callback;

/// Decides whether the model may use a tool, where neither a rule nor the mode does.
///
/// The CLI asks only with `--permission-prompt-tool=stdio`.
/// There is no default: a handler that errs or panics is answered with an error, which the CLI takes for a denial, and
/// so is every question where there is no handler at all.
/// A handler may leave a question open (`None`); [`or`](Self::or) has another one decide then, and where nothing
/// decides the answer is a denial.
///
/// The CLI sets no time limit; a handler sets its own, as with `tokio::time::timeout`, whose error is a denial too.
/// The question races with `PermissionRequest` hooks; where the hook decides first, it is cancelled, the context's
/// token fires, the handler's future is dropped a grace later, and nothing is sent.
/// An interrupt and the session's end do the same.
///
/// An allowance without an input of its own goes out with the input that was asked about: CLI 2.1.197 does not run the
/// tool without, and 2.1.330 takes it for no change.
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
#[derive(Clone)]
pub struct PermissionHandler {
    /// The question in its box: by value it would lie in each future on the way.
    decide: Arc<dyn Fn(Box<CanUseTool>, CallContext) -> Deciding + Send + Sync>,
}

type Deciding = Pin<Box<dyn Future<Output = Result<Option<Decision>, CallbackError>> + Send>>;

impl PermissionHandler {
    /// Asks `handler`, once for each question; questions may run concurrently.
    pub fn new<F, Fut>(handler: F) -> Self
    where
        F: Fn(CanUseTool, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send,
        Fut::Output: IntoDecision,
    {
        let handler = Arc::new(handler);
        Self::erased(move |request, context| {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                let ask = || (*handler)(*request, context);
                callback::call("the permission handler", ask, IntoDecision::into_decision).await
            })
        })
    }

    /// Asks `next` where this one leaves a question open.
    ///
    /// One that fails has left nothing open: the answer is its error, and `next` is not asked.
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

    fn erased(decide: impl Fn(Box<CanUseTool>, CallContext) -> Deciding + Send + Sync + 'static) -> Self {
        Self { decide: Arc::new(decide) }
    }
}

impl fmt::Debug for PermissionHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PermissionHandler").finish_non_exhaustive()
    }
}

/// Answers every `can_use_tool`.
impl Responder for PermissionHandler {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::CanUseTool(request) = request else { return None };
        let tool = request.tool_name.clone();
        let asked = request.input.clone();
        let decision = (self.decide)(request, context);
        Some(Box::pin(async move {
            let answer = decision.await.and_then(|decision| {
                RawJson::encode(&settled(decision, asked))
                    .map_err(|error| format!("the decision can't be written: {error}").into())
            });
            if answer.is_err() {
                // The reason may quote the tool's input: it goes to the CLI, and to whoever asked for such things.
                tracing::warn!(%tool, "a permission question has no decision");
            }
            answer
        }))
    }

    fn may_answer(&self, request: &InboundRequest) -> bool {
        matches!(request, InboundRequest::CanUseTool(_))
    }

    fn refusal(&self, request: &InboundRequest) -> Option<Refusal> {
        self.may_answer(request).then_some(|reason| RawJson::encode(&Decision::deny(reason)).ok())
    }
}

/// The decision as it is sent: none is a denial, and an allowance has an input.
fn settled(decision: Option<Decision>, asked: RawJson) -> Decision {
    let mut decision = decision.unwrap_or_else(|| Decision::deny(NOBODY_DECIDED));
    if let Decision::Allow(allow) = &mut decision {
        allow.updated_input.get_or_insert(asked);
    }
    decision
}

/// What the model is told where every handler has left the question open.
const NOBODY_DECIDED: &str = "nothing here permits this use of the tool";
