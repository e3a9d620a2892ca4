//! Tests without child processes.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "what the tests share is test code too")]

mod boxed;
#[cfg(feature = "process")]
mod launch;
#[cfg(feature = "process")]
mod locate;
mod memory;
#[cfg(feature = "process")]
mod version;

use std::time::Duration;

/// Runs a test with a time limit.
fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(20), test).await.expect("it hangs") })
}
