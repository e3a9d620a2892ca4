//! Waits for a condition in a test.

use std::time::Duration;

use tokio::time::{interval, timeout};

/// Waits until a condition holds, for at most 20 seconds.
pub(super) async fn eventually(mut condition: impl FnMut() -> bool) {
    let mut checks = interval(Duration::from_millis(5));
    let waiting = async {
        while !condition() {
            checks.tick().await;
        }
    };
    timeout(Duration::from_secs(20), waiting).await.unwrap();
}
