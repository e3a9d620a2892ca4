//! `system/worker_shutting_down`: a remote worker says why it goes.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// A remote worker says why it goes (`system/worker_shutting_down`).
///
/// It counts only while nothing follows: a session that is resumed may hold old ones.
/// Taken from the published declarations, never seen.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct WorkerShuttingDown {
    /// Why, as a short word such as `host_exit`.
    #[serde(default)]
    pub reason: Box<str>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
