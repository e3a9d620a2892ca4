//! `system/worker_shutting_down`: a remote worker shuts down.

use crate::{SessionId, Uuid};

/// A remote worker shuts down (`system/worker_shutting_down`).
///
/// It only applies if no message follows: a resumed session may contain old ones.
/// Declared, but never seen.
#[wire]
pub struct WorkerShuttingDown {
    /// The reason, such as `host_exit`.
    #[serde(default)]
    pub reason: Box<str>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}
