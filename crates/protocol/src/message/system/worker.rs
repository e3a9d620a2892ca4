//! `system/worker_shutting_down`: a remote worker shuts down.

/// A remote worker shuts down (`system/worker_shutting_down`).
///
/// It only applies if no message follows: a resumed session may contain old ones.
/// Declared, but never seen.
#[wire(tolerant, message)]
pub struct WorkerShuttingDown {
    /// The reason, such as `host_exit`.
    pub reason: Box<str>,
}
