//! Several handlers for one event as one, called in order until one of them refuses.

mod merge;

use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use agentwire_protocol::hook::{HookAnswer, HookEvent};
use tokio::time::Instant;

use crate::{HookContext, IntoAnswer, callback::answer, error::HandlerError, limit::Limit};
use merge::Merged;

/// Several handlers for one event, registered as one.
///
/// The CLI calls handlers that are registered one by one concurrently, each with the original input, and merges their
/// replies itself.
/// Here they are one registration: [`in_order`](Self::in_order) calls them one after the other, each with the changes of
/// those before, until one refuses.
///
/// # How replies are merged
///
/// | part of the reply | merged value |
/// |---|---|
/// | the decision | the strictest, with its reason: deny (or block) over defer over ask over allow over none |
/// | the changed input or output | the last one, which builds on those before |
/// | text for the model, notices for the user | all, in the order of the handlers, a line each |
/// | `continue: false` | counts if any handler returns it, with the reason of the first that does |
/// | `suppressOutput`, `reloadSkills` and the like | `true` if any handler returns it |
///
/// A refusal is repeated in the form that the CLI honours: a declined or cancelled elicitation becomes a block, and a
/// block of a permission request a denial.
/// A [`LaterReply`](agentwire_protocol::hook::LaterReply) adds nothing here.
///
/// # Failures
///
/// If a handler fails or panics, the others are still called, and their refusal takes precedence over the failure.
/// If none refuses, the whole chain fails, which refuses the event.
/// If a failure can't refuse, because of the event or of
/// [`HookFailure::Continue`](agentwire_protocol::control::HookFailure::Continue), the other replies still count: a
/// question, a changed output, the end of the turn. Only an `allow` is discarded, with all of `hookSpecificOutput`.
///
/// The matcher's time limit is one limit for all of them.
/// If a failure does not refuse the event and the CLI would let a late event pass, this limit ends a fifth, at most 2
/// seconds, before the CLI's, so that the replies of the other handlers still reach the CLI; except for `SessionEnd`,
/// which has no replies. The handler that is running at the limit is dropped and counts as failed. Those after it are
/// still called, but each must be ready at once. Set no limit below 5 seconds for such handlers, because the reply may
/// take a second to reach the CLI.
///
/// ```
/// use agentwire_hooks::{Handlers, Hooks};
/// use agentwire_protocol::hook::{HookReply, PreToolUse};
///
/// let guard = Handlers::of(PreToolUse)
///     .then(async |input, _cx| {
///         if input.tool_name == "Bash" { HookReply::deny("no shell here") } else { HookReply::proceed() }
///     })
///     .then(async |input, _cx| println!("{} may be used", input.tool_name));
/// let hooks = Hooks::new().on(PreToolUse, guard.in_order());
/// # drop(hooks);
/// ```
#[doc(alias = "chain")]
#[derive(Clone)]
pub struct Handlers<E: HookEvent> {
    handlers: Vec<ChainedHandler<E>>,
}

type ChainedHandler<E> =
    Arc<dyn Fn(<E as HookEvent>::Input, HookContext) -> ChainedAnswer<E, HandlerError> + Send + Sync>;

/// The future of an answer, or of the failure `F`.
type ChainedAnswer<E, F> = Pin<Box<dyn Future<Output = Result<HookAnswer<E>, F>> + Send>>;

impl<E: HookEvent> Handlers<E> {
    /// Creates an empty list for this event.
    ///
    /// For `WorktreeCreate` register one handler alone, since each handler makes a worktree.
    pub fn of(event: E) -> Self {
        let _: E = event;
        Self { handlers: Vec::new() }
    }

    /// Adds a handler, which is called after the others.
    #[must_use]
    pub fn then<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(E::Input, HookContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<HookAnswer<E>>> + Send,
    {
        let handler = Arc::new(handler);
        self.handlers.push(Arc::new(move |input, context| {
            let handler = Arc::clone(&handler);
            Box::pin(async move { answer(|| (*handler)(input, context)).await })
        }));
        self
    }

    /// Returns one handler that calls these in order, and none after the first that refuses.
    ///
    /// Each gets the input, or the tool's output, with the changes of those before.
    /// If the event can't refuse, as `PostToolUse`, all are called.
    pub fn in_order(
        self,
    ) -> impl Fn(E::Input, HookContext) -> ChainedAnswer<E, String> + Clone + Send + Sync + 'static {
        let handlers: Arc<[ChainedHandler<E>]> = self.handlers.into();
        move |mut input, mut context| {
            let (handlers, failure_refuses) = (Arc::clone(&handlers), context.failure_refuses);
            Box::pin(async move {
                let mut merged = Merged::<E>::new();
                let start = Instant::now();
                // A late event would pass without the replies of the other handlers, such as a redaction. `SessionEnd`
                // has none.
                let passes = !failure_refuses && !E::REFUSES_WHEN_LATE && E::NAME != "SessionEnd";
                let until = context.deadline.filter(|_| passes);
                // `Duration::MAX` means no limit.
                let limit = Limit::ahead_of(until.map_or(Duration::MAX, |at| at - start.into_std()));
                context.deadline = limit.deadline(start).or(context.deadline);
                for handler in &*handlers {
                    // Cancelled for the handler that runs at the limit, and not for the next ones.
                    let cancelled = context.cancelled.child_token();
                    let own = HookContext { cancelled: cancelled.clone(), ..context.clone() };
                    let answer = limit.bound(start, cancelled, handler(input.clone(), own)).await;
                    let answer = answer.unwrap_or(Err(HandlerError::Late));
                    let add = |answer| merged.add(answer, &mut input).map_err(HandlerError::Failed);
                    if let Err(error) = answer.and_then(add) {
                        // Logged here, since another handler's refusal may become the answer.
                        tracing::warn!(event = E::NAME, "one of several handlers of a hook has failed");
                        let (kind, text) = (error.kind(), error.to_string());
                        let (reason, failure) = match error {
                            HandlerError::Failed(reason) => (reason.clone(), reason),
                            HandlerError::Panicked(reason) => (reason, text),
                            _ => (text.clone(), text),
                        };
                        context.first_failure.get_or_init(|| (kind, reason));
                        merged.fail(failure);
                    }
                    if merged.refuses() {
                        break;
                    }
                }
                merged.finish(failure_refuses)
            })
        }
    }
}

impl<E: HookEvent> fmt::Debug for Handlers<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers").field("event", &E::NAME).field("handlers", &self.handlers.len()).finish()
    }
}
