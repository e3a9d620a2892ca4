//! Waiting for other processes, which report nothing, within a limit.

use std::time::Duration;

use agentwire_restate::IngressError;
use tokio::time::{sleep, timeout};

use crate::failure::Failure;

/// Waits until the condition holds.
pub(crate) async fn eventually(
    what: &str,
    limit: Duration,
    mut holds: impl AsyncFnMut() -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let wait = async {
        while !holds().await? {
            sleep(PAUSE).await;
        }
        Ok(())
    };
    within(what, limit, wait).await
}

/// Waits for the future.
pub(crate) async fn within<T>(
    what: &str,
    limit: Duration,
    future: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    match timeout(limit, future).await {
        Ok(result) => result,
        Err(_) => Err(Failure::new(format!("waited for {limit:?} in vain until {what}"))),
    }
}

/// Returns the answer of an engine; `None` while no node is ready.
pub(crate) fn ready<T>(answer: Result<T, IngressError>) -> Result<Option<T>, Failure> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(IngressError::Unreachable { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

const PAUSE: Duration = Duration::from_millis(50);
