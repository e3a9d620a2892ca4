//! Hosts in processes of their own, which are killed.

use std::process::Child;

/// A host, which is killed at the latest when this is dropped.
pub(super) struct Host(pub(super) Child);

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
