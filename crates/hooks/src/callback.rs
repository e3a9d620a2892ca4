//! Callbacks of the user's, erased and run so that neither a panic nor a long text of theirs gets any further.

use std::{
    any::Any,
    borrow::Cow,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
};

use agentwire_control::{CallbackError, FailureKind};
use agentwire_protocol::RawJson;

use crate::{HookContext, error::HookError};

/// A hook handler with its types erased: the event's input in, the reply out.
pub(crate) type Callback = Arc<
    dyn Fn(RawJson, HookContext) -> Pin<Box<dyn Future<Output = Result<RawJson, HookError>> + Send>>
        + Send
        + Sync,
>;

/// Runs `work` to its end; a panic in it becomes its text, cut to a bounded length.
///
/// For crates above that run callbacks of the user's.
/// A closure that makes the future may panic too: call it inside an `async` block.
///
/// # Errors
///
/// The panic's text, or `no text` where it had none.
pub async fn catch_panic<T>(work: impl Future<Output = T>) -> Result<T, String> {
    run(pin!(work), |output| output).await
}

/// Does what is done here and now; a panic becomes its text, as in [`catch_panic`].
///
/// A handler is called so, and what it gives is pinned and then [run](run()): a future that is handed on by value lies in
/// memory twice.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panic_text(&*panic))
}

/// As [`catch_panic`], for what is pinned already; `then` makes something of its output.
pub(crate) async fn run<F: Future, T>(
    mut work: Pin<&mut F>,
    then: impl FnOnce(F::Output) -> T,
) -> Result<T, String> {
    let mut then = Some(then);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| {
            // Asked again only after `Pending`, so that it is always there.
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

/// Calls a handler, runs it to its end and converts its output; `handler` names it in the text of a failure.
pub(crate) async fn call<F: Future, T>(
    handler: &str,
    call: impl FnOnce() -> F,
    then: impl FnOnce(F::Output) -> Result<T, String>,
) -> Result<T, CallbackError> {
    let ran = match catch(call) {
        Ok(work) => run(pin!(work), then).await,
        Err(panic) => Err(panic),
    };
    let (kind, reason, verb) = match ran {
        Ok(Ok(output)) => return Ok(output),
        Ok(Err(error)) => (FailureKind::Error, error, "failed"),
        Err(panic) => (FailureKind::Panic, panic, "panicked"),
    };
    let answer = format!("{handler} {verb}: {reason}");
    Err(CallbackError::new(kind, reason).with_answer(Err(answer)))
}

/// The text, or its start where it is longer than what a reply should carry (1,000 bytes).
pub fn excerpt(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT {
        return text.into();
    }
    let mut end = MAX_TEXT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end]).into()
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    excerpt(text.unwrap_or("no text")).into_owned()
}

/// The longest text of a user's error or panic that goes into a reply, in bytes.
const MAX_TEXT: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::{MAX_TEXT, excerpt};

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(excerpt("short"), "short");
        let long = "ä".repeat(MAX_TEXT);
        let cut = excerpt(&long);
        assert!(cut.len() <= MAX_TEXT + "…".len());
        assert!(cut.ends_with("ä…"));
        assert!(excerpt(&format!("x{long}")).ends_with("ä…"));
    }
}
