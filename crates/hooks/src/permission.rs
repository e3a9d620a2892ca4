//! The permission callback: answers `can_use_tool`.

use std::{fmt, fmt::Display, future::Future, pin::Pin, sync::Arc};

use agentwire_control::{CallContext, FailureKind, Reply, Responder, note_failure};
use agentwire_protocol::{InboundRequest, RawJson, control::CanUseTool, permission::Decision};

use crate::{catch_panic, excerpt};

/// Decides whether the model may use a tool, where neither a rule nor the mode does.
///
/// The CLI asks only with `--permission-prompt-tool=stdio`.
/// There is no default: a handler that errs or panics is answered with an error, which the CLI takes for a denial, and
/// so is every question where there is no handler at all.
///
/// The question races with `PermissionRequest` hooks; where the hook decides first, it is taken back and the context's
/// token fires.
///
/// ```
/// use agentwire_hooks::PermissionHandler;
/// use agentwire_protocol::permission::Decision;
///
/// let handler = PermissionHandler::new(async |request, _cx| {
///     if &*request.tool_name == "Read" { Decision::allow() } else { Decision::deny("read only") }
/// });
/// ```
#[derive(Clone)]
pub struct PermissionHandler {
    decide: Arc<dyn Fn(CanUseTool, CallContext) -> Deciding + Send + Sync>,
}

type Deciding = Pin<Box<dyn Future<Output = Result<Decision, String>> + Send>>;

impl PermissionHandler {
    /// Asks `handler`, once for each question; questions may run concurrently.
    pub fn new<F, Fut>(handler: F) -> Self
    where
        F: Fn(CanUseTool, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send,
        Fut::Output: IntoDecision,
    {
        let handler = Arc::new(handler);
        let decide = move |request, context| -> Deciding {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                let decision =
                    catch_panic(async { (*handler)(request, context).await.into_decision() }).await;
                match decision {
                    Ok(Ok(decision)) => Ok(decision),
                    Ok(Err(error)) => {
                        note_failure(FailureKind::Error, &*error);
                        Err(format!("the permission handler failed: {error}"))
                    }
                    Err(panic) => {
                        note_failure(FailureKind::Panic, &*panic);
                        Err(format!("the permission handler panicked: {panic}"))
                    }
                }
            })
        };
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
    fn respond(&self, request: &InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::CanUseTool(request) = request else { return None };
        let tool = request.tool_name.clone();
        let decision = (self.decide)((**request).clone(), context);
        Some(Box::pin(async move {
            let answer = decision.await.and_then(|decision| {
                RawJson::encode(&decision).map_err(|error| format!("the decision can't be written: {error}"))
            });
            if answer.is_err() {
                // The reason may quote the tool's input: it goes to the CLI, and to whoever asked for such things.
                tracing::warn!(%tool, "a permission question has no decision");
            }
            answer
        }))
    }
}

/// What a permission handler may return: a [`Decision`], or a `Result` of one.
pub trait IntoDecision {
    /// The decision.
    ///
    /// # Errors
    ///
    /// Why there is none; the CLI denies.
    fn into_decision(self) -> Result<Decision, String>;
}

impl IntoDecision for Decision {
    fn into_decision(self) -> Result<Decision, String> {
        Ok(self)
    }
}

/// An error is never an allow.
impl<R: IntoDecision, D: Display> IntoDecision for Result<R, D> {
    fn into_decision(self) -> Result<Decision, String> {
        match self {
            Ok(decision) => decision.into_decision(),
            Err(error) => Err(excerpt(&error.to_string()).into_owned()),
        }
    }
}
