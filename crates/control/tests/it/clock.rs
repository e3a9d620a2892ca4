//! The paused clock: time advances when every task is idle.

use std::time::Duration;

/// Advances the paused clock by `time` once every other task waits. Takes no real time and races with nothing.
pub(crate) async fn pass(time: Duration) {
    tokio::time::sleep(time).await;
}
