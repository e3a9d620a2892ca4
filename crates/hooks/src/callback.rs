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

use agentwire_control::{FailureKind, note_failure};
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
    let mut work = pin!(work);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Err(panic) => Poll::Ready(Err(panic_text(&*panic))),
    })
    .await
}

/// Runs a handler to its end; its failure is noted for who watches, and becomes a text that says whose it is.
pub(crate) async fn noted<T>(
    whose: &str,
    work: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    match catch_panic(work).await {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(error)) => {
            note_failure(FailureKind::Error, &*error);
            Err(format!("{whose} failed: {error}"))
        }
        Err(panic) => {
            note_failure(FailureKind::Panic, &*panic);
            Err(format!("{whose} panicked: {panic}"))
        }
    }
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
