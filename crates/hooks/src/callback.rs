//! Runs the user's callbacks: catches their panics, and limits the length of their error texts.

use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
};

use agentwire_protocol::RawJson;

use crate::{
    HookContext, IntoAnswer,
    error::{HookError, excerpt},
};

/// A type-erased hook handler: the event's input in, the reply out.
pub(crate) type Callback = Arc<
    dyn Fn(RawJson, HookContext) -> Pin<Box<dyn Future<Output = Result<RawJson, HookError>> + Send>>
        + Send
        + Sync,
>;

/// Runs `work` to its end, and catches a panic.
///
/// This is for crates that run callbacks of the user.
/// A closure that creates the future may panic too: call it inside an `async` block.
///
/// # Errors
///
/// If `work` panics: the panic's text, at most 1,000 bytes of it, or `no text`.
pub async fn catch_panic<T>(work: impl Future<Output = T>) -> Result<T, String> {
    run(pin!(work), |output| output).await
}

/// Calls `work` and catches a panic, as [`catch_panic`] does.
///
/// A handler is called with this; its future is then pinned and passed to [`run`] by reference, since a future that is
/// passed by value takes its size twice.
fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panic_text(&*panic))
}

/// Runs a pinned future and catches a panic, as [`catch_panic`] does; `then` converts the output.
async fn run<F: Future, T>(mut work: Pin<&mut F>, then: impl FnOnce(F::Output) -> T) -> Result<T, String> {
    let mut then = Some(then);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| {
            // `then` is present, since the future is not polled again after `Ready`.
            work.as_mut().poll(context).map(|output| then.take().map(|then| then(output)))
        }));
        match polled {
            Ok(Poll::Ready(Some(output))) => Poll::Ready(Ok(output)),
            Ok(_) => Poll::Pending,
            Err(panic) => Poll::Ready(Err(panic_text(&*panic))),
        }
    })
    .await
}

/// Calls a handler, runs it to its end and converts its output; an error is a failure or a panic.
pub(crate) async fn answer<F, A>(call: impl FnOnce() -> F) -> Result<A, HookError>
where
    F: Future<Output: IntoAnswer<A>>,
{
    let work = pin!(catch(call).map_err(HookError::Panicked)?);
    let answer = run(work, IntoAnswer::into_answer).await;
    answer.map_err(HookError::Panicked)?.map_err(HookError::Failed)
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    excerpt(text.unwrap_or("no text")).into_owned()
}
