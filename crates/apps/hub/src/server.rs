//! A snapshot of one server.

use crate::{ServerState, config::Configured};

/// A snapshot of one server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerSnapshot {
    /// The configuration and its origin.
    pub configured: Configured,
    /// The state.
    pub state: ServerState,
}
