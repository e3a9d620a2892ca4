//! Several handlers for one event, as one: in order with a stop at the first refusal, or at once with one merged reply.

mod merge;
mod outputs;

use std::{
    fmt,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
};

use agentwire_control::{FailureKind, note_failure};
use agentwire_protocol::hook::{HookAnswer, HookEvent};

use crate::{
    HookContext, IntoReply,
    callback::{catch, run},
};
use merge::{Changes, Merged};

pub use merge::Merge;

/// Several handlers for one event, to be registered as one.
///
/// Handlers that are registered one by one are all asked at once by the CLI, each on its own, and the CLI puts their
/// answers together.
/// Here they are one registration, and how they go together is said here:
///
/// - [`in_order`](Self::in_order): one after the other, each seeing what those before have changed, until one refuses (of an event that can).
/// - [`at_once`](Self::at_once): all together, each seeing what the CLI has said.
///
/// # How replies are merged
///
/// | part | of several |
/// |---|---|
/// | the decision | the strictest, with its reason: deny (or block) over defer over ask over allow over none |
/// | the changed input or output | in order: the last one, which was built on those before. At once: two different ones are a failure |
/// | text for the model, notices for the user | all, in the order of the handlers, a line each |
/// | `continue: false` | counts if one says so, with the reason of the first who does |
/// | `suppressOutput`, `reloadSkills` and the like | `true` if one says so |
///
/// A handler that tells the CLI not to wait ([`LaterReply`](agentwire_protocol::hook::LaterReply)) says nothing here.
///
/// # Failures
///
/// A handler that errs or panics does not keep the others from being asked, and a refusal of theirs counts before the
/// failure.
/// Where none refuses, the failure is that of the whole, and refuses.
/// Where it can't refuse, as the event can't or the matcher says
/// [`HookFailure::Continue`](agentwire_protocol::control::HookFailure::Continue), what the others say holds all the same:
/// a question, a changed output, the end of the turn. An allowance does not hold beside a failure.
///
/// The matcher's time limit is one limit for all of them.
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
pub struct Handlers<E: Merge> {
    links: Vec<Link<E>>,
}

type Link<E> = Arc<dyn Fn(<E as HookEvent>::Input, HookContext) -> Answering<E> + Send + Sync>;

/// An answer in the making.
type Answering<E> = Pin<Box<dyn Future<Output = Result<HookAnswer<E>, String>> + Send>>;

impl<E: Merge> Handlers<E> {
    /// No handlers yet, for this event.
    pub fn of(event: E) -> Self {
        let _: E = event;
        Self { links: Vec::new() }
    }

    /// The same with one more handler, behind the others.
    #[must_use]
    pub fn then<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(E::Input, HookContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send,
        Fut::Output: IntoReply<E>,
    {
        let handler = Arc::new(handler);
        self.links.push(Arc::new(move |input, context| {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                let reply = match catch(|| (*handler)(input, context)) {
                    Ok(work) => run(pin!(work), IntoReply::into_reply).await,
                    Err(panic) => Err(panic),
                };
                reply.unwrap_or_else(|panic| {
                    note_failure(FailureKind::Panic, &*panic);
                    Err(format!("panicked: {panic}"))
                })
            })
        }));
        self
    }

    /// Asks one after the other, and none behind the first that refuses.
    ///
    /// Each sees the input, or the tool's output, as those before have changed it.
    /// Where the event can't refuse, as with `PostToolUse`, all are asked.
    pub fn in_order(self) -> impl Fn(E::Input, HookContext) -> Answering<E> + Clone + Send + Sync + 'static {
        let links: Arc<[Link<E>]> = self.links.into();
        move |mut input, context| {
            let (links, failure_refuses) = (Arc::clone(&links), context.failure_refuses);
            Box::pin(async move {
                let mut merged = Merged::new(Changes::BuiltOnOneAnother);
                for link in &*links {
                    merged.take(link(input.clone(), context.clone()).await, Some(&mut input));
                    if merged.refuses() {
                        break;
                    }
                }
                merged.finish(failure_refuses)
            })
        }
    }

    /// Asks all together, in one task, and waits for all of them.
    pub fn at_once(self) -> impl Fn(E::Input, HookContext) -> Answering<E> + Clone + Send + Sync + 'static {
        let links: Arc<[Link<E>]> = self.links.into();
        move |input, context| {
            let failure_refuses = context.failure_refuses;
            let asked = links.iter().map(|link| link(input.clone(), context.clone())).collect();
            Box::pin(async move {
                let mut merged = Merged::new(Changes::EachByItself);
                for answer in all(asked).await {
                    merged.take(answer, None);
                }
                merged.finish(failure_refuses)
            })
        }
    }
}

impl<E: Merge> fmt::Debug for Handlers<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers").field("event", &E::NAME).field("handlers", &self.links.len()).finish()
    }
}

/// The outputs of all, in their order, when the last is there.
async fn all<T>(mut futures: Vec<Pin<Box<dyn Future<Output = T> + Send>>>) -> Vec<T> {
    let mut outputs: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut waits = false;
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(ready) => *output = Some(ready),
                    Poll::Pending => waits = true,
                }
            }
        }
        if waits { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    outputs.into_iter().flatten().collect()
}
