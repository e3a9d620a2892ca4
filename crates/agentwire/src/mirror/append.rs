//! Calls a store with a time limit, and catches its panics.

use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    task::Poll,
    time::Duration,
};

use agentwire_sessions::{RawEntry, SessionKey, SessionStore, StoreError, StoreFuture};
use tokio::time::{sleep, timeout};

use crate::StoreFault;

/// Appends entries and retries if the store fails; returns the last failure.
///
/// An append that exceeds its time limit is not retried, because it may still complete.
pub(super) async fn append(
    store: &dyn SessionStore,
    key: &SessionKey,
    entries: &[RawEntry],
    limit: Duration,
) -> Result<(), StoreFault> {
    let mut pauses = PAUSES.iter();
    loop {
        let fault = match call(limit, || store.append(key, entries)).await {
            Ok(()) => return Ok(()),
            Err(fault) => fault,
        };
        match pauses.next() {
            Some(pause) if !matches!(fault, StoreFault::TimedOut { .. }) => sleep(*pause).await,
            _ => return Err(fault),
        }
    }
}

/// Calls a store within the time limit; a panic counts as a failure.
pub(crate) async fn call<'a, T>(
    limit: Duration,
    ask: impl FnOnce() -> StoreFuture<'a, T>,
) -> Result<T, StoreFault> {
    match timeout(limit, caught(ask)).await {
        Ok(Ok(outcome)) => outcome.map_err(StoreFault::Failed),
        Ok(Err(panic)) => Err(StoreFault::Panicked { text: panic_text(&*panic) }),
        Err(_) => Err(StoreFault::TimedOut { after: limit }),
    }
}

/// As [`call`], for an optional method of a store; `None` if the store lacks it.
pub(crate) async fn call_optional<'a, T>(
    limit: Duration,
    ask: impl FnOnce() -> Option<StoreFuture<'a, T>>,
) -> Option<Result<T, StoreFault>> {
    match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(None) => None,
        Ok(Some(future)) => Some(call(limit, || future).await),
        Err(panic) => Some(Err(StoreFault::Panicked { text: panic_text(&*panic) })),
    }
}

type Panic = Box<dyn Any + Send>;

async fn caught<'a, T>(ask: impl FnOnce() -> StoreFuture<'a, T>) -> Result<Result<T, StoreError>, Panic> {
    let mut call = StoreCall(Some(catch_unwind(AssertUnwindSafe(ask))?));
    let outcome = poll_fn(|context| {
        let Some(future) = &mut call.0 else { return Poll::Pending };
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    });
    let outcome = outcome.await;
    call.release()?;
    outcome
}

/// A running call of a store. It may panic when dropped too, also when the call is abandoned.
struct StoreCall<'a, T>(Option<StoreFuture<'a, T>>);

impl<T> StoreCall<'_, T> {
    fn release(&mut self) -> Result<(), Panic> {
        let future = self.0.take();
        catch_unwind(AssertUnwindSafe(|| drop(future)))
    }
}

impl<T> Drop for StoreCall<'_, T> {
    fn drop(&mut self) {
        if let Err(panic) = self.release() {
            let text = panic_text(&*panic);
            tracing::warn!(text, "a session store panicked when it was given up");
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a text").to_owned()
}

/// The pauses between attempts, as in the reference SDKs: three attempts in all.
const PAUSES: &[Duration] = &[Duration::from_millis(200), Duration::from_millis(800)];
