//! A server among those of the hub.

use crate::{ServerState, config::Configured};

/// A server at one moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerSnapshot {
    /// What was configured, and where.
    pub configured: Configured,
    /// How it stands.
    pub state: ServerState,
}
