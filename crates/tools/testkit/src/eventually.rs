//! Waits in tests for conditions that no event reports.

use std::{future::Future, panic::Location, time::Duration};

use tokio::time::{interval, timeout};

/// Waits until a condition holds, and checks it every 5 milliseconds.
///
/// # Panics
///
/// If the condition does not hold within 60 seconds of tokio's clock, which does not wait for other threads while paused.
#[track_caller]
pub fn eventually(mut condition: impl FnMut() -> bool) -> impl Future<Output = ()> {
    let caller = Location::caller();
    async move {
        let mut checks = interval(INTERVAL);
        let waiting = async {
            while !condition() {
                checks.tick().await;
            }
        };
        assert!(
            timeout(LIMIT, waiting).await.is_ok(),
            "{caller}: the condition does not hold after {LIMIT:?}"
        );
    }
}

const INTERVAL: Duration = Duration::from_millis(5);
const LIMIT: Duration = Duration::from_secs(60);
