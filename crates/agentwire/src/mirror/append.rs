//! Calls a store with a time limit, and catches its panics.

use std::time::Duration;

use agentwire_control::panics::{catch_call, catch_polls};
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
    caught(limit, async { ask().await }).await
}

/// As [`call`], for an optional method of a store; `None` if the store lacks it.
pub(crate) async fn call_optional<'a, T>(
    limit: Duration,
    ask: impl FnOnce() -> Option<StoreFuture<'a, T>>,
) -> Option<Result<T, StoreFault>> {
    let call = async {
        let Some(call) = ask() else { return Ok(None) };
        call.await.map(Some)
    };
    caught(limit, call).await.transpose()
}

async fn caught<T>(
    limit: Duration,
    call: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreFault> {
    let mut call = Box::pin(call);
    let outcome = timeout(limit, catch_polls(call.as_mut())).await;
    // An overdue call may panic when it is dropped.
    let _ = catch_call(|| drop(call));
    match outcome {
        Ok(Ok(outcome)) => outcome.map_err(StoreFault::Failed),
        Ok(Err(text)) => Err(StoreFault::Panicked { text }),
        Err(_) => Err(StoreFault::TimedOut { after: limit }),
    }
}

/// The pauses between attempts, as in the reference SDKs: three attempts in all.
const PAUSES: &[Duration] = &[Duration::from_millis(200), Duration::from_millis(800)];
