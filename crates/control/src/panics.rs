//! Runs user callbacks and catches their panics; truncates texts, and writes errors with their sources.

use std::{
    any::Any,
    borrow::Cow,
    error::Error,
    future::{Future, poll_fn},
    iter,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    task::Poll,
};

/// Runs `work` to its end, and catches a panic.
///
/// This is for crates that run callbacks of the user.
/// A closure that creates the future may panic too: call it inside an `async` block, or by [`catch_call`].
///
/// # Errors
///
/// If `work` panics: the panic's text, at most 1,000 bytes of it, or `no text`.
pub async fn catch_panic<T>(work: impl Future<Output = T>) -> Result<T, String> {
    catch_polls(pin!(work)).await
}

/// Calls `work` and catches a panic, as [`catch_panic`] does.
///
/// # Errors
///
/// As [`catch_panic`].
pub fn catch_call<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panic_text(&*panic))
}

/// Runs a pinned future and catches a panic, as [`catch_panic`] does.
///
/// Takes a pinned reference: a future passed by value would double the size of the returned future.
/// On the runtime of a blocking session (feature `blocking`), `work` may block: another thread then runs the session.
///
/// # Errors
///
/// As [`catch_panic`].
pub async fn catch_polls<F: Future>(mut work: Pin<&mut F>) -> Result<F::Output, String> {
    poll_fn(|context| {
        let poll = || work.as_mut().poll(context);
        #[cfg(feature = "blocking")]
        let poll = || crate::in_place::in_place(poll);
        catch_call(poll).map_or_else(|panic| Poll::Ready(Err(panic)), |polled| polled.map(Ok))
    })
    .await
}

/// Truncates a text that goes to the CLI, and perhaps to the model, to at most 1,000 bytes.
pub fn excerpt(text: &str) -> Cow<'_, str> {
    truncated(text, MAX_TEXT)
}

/// Truncates a text to at most `max` bytes.
#[doc(hidden)]
pub fn truncated(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return text.into();
    }
    let longest = max.saturating_sub(ELLIPSIS.len());
    let end = (0..=longest).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}{ELLIPSIS}", &text[..end]).into()
}

/// Returns the texts of an error and its sources, without those that are part of an earlier text.
pub fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    for cause in iter::successors(error.source(), |cause| (*cause).source()).map(ToString::to_string) {
        if !text.contains(&cause) {
            text.push_str(&format!(": {cause}"));
        }
    }
    text
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    excerpt(text.unwrap_or("no text")).into_owned()
}

/// Enough to find the source of an error or a panic.
const MAX_TEXT: usize = 1_000;
const ELLIPSIS: &str = "…";

#[cfg(test)]
mod tests {
    use std::{error::Error, fmt};

    use super::{MAX_TEXT, error_chain, excerpt};

    #[derive(Debug)]
    struct Failed(&'static str, Option<Box<Failed>>);

    impl fmt::Display for Failed {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Failed {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_ref().map(|source| &**source as _)
        }
    }

    #[test]
    fn a_chain_has_each_text_once() {
        let route = || Some(Box::new(Failed("no route", None)));
        let sent = |text| Failed("no answer", Some(Box::new(Failed(text, route()))));
        assert_eq!(error_chain(&sent("not sent")), "no answer: not sent: no route");
        assert_eq!(error_chain(&sent("not sent: no route")), "no answer: not sent: no route");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(excerpt("short"), "short");
        let long = "ä".repeat(MAX_TEXT);
        let cut = excerpt(&long);
        assert!(cut.len() <= MAX_TEXT);
        assert!(cut.ends_with("ä…"));
        assert!(excerpt(&format!("x{long}")).ends_with("ä…"));
    }
}
