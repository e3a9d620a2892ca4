//! The paused clock of these tests: time passes as fast as nothing else is left to do.

use std::time::Duration;

/// Lets that much of the paused clock pass, once every other task waits: it takes no time, and is no race.
pub(crate) async fn pass(time: Duration) {
    tokio::time::sleep(time).await;
}
