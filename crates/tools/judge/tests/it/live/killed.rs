//! Hosts in processes of their own, which are killed.

use std::{process::Child, time::Instant};

use tokio::time::sleep;

use super::{Duration, LIMIT};

/// A host, which is killed at the latest when this is dropped.
pub(super) struct Host(pub(super) Child);

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until the condition holds, within [`LIMIT`].
pub(super) async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LIMIT, "waited too long until {what}");
        sleep(Duration::from_millis(20)).await;
    }
}
