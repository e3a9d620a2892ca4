//! The desired state of a server. The task compares it with the actual state, so that requests in any order are neither lost
//! nor done twice.

use std::{sync::Arc, time::Duration};

use super::listings::Listings;
use crate::{DisabledBy, ServerState, config::Configured};

/// The desired state of a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Desired {
    pub(crate) configured: Arc<Configured>,
    /// Whether the hub is enabled.
    pub(crate) is_hub_on: bool,
    /// Counts the requested restarts.
    pub(crate) run: u64,
    /// Counts the changes of files that the server depends on. A change restarts the server, with a delay if changes
    /// follow each other.
    pub(crate) touched: u64,
    /// Counts the changes that end the running server; see [`count`](Self::count).
    pub(crate) generation: u64,
    /// The requested listings.
    pub(super) listings: Listings,
    /// The time limit for reading one list that a client requested.
    pub(crate) patience: Duration,
}

impl Desired {
    pub(crate) fn new(configured: Configured, is_hub_on: bool) -> Self {
        Self {
            configured: Arc::new(configured),
            is_hub_on,
            run: 0,
            touched: 0,
            generation: 0,
            listings: Listings::default(),
            patience: Duration::ZERO,
        }
    }

    /// Counts a change that ends the running server.
    pub(super) fn count(&mut self, before: &Self) {
        let is_replaced = self.run != before.run
            || self.disabled() != before.disabled()
            || self.configured.config.launch != before.configured.config.launch;
        self.generation = before.generation + u64::from(is_replaced);
    }

    /// Returns why the server is disabled, if it is.
    pub(crate) fn disabled(&self) -> Option<DisabledBy> {
        if self.configured.config.disabled {
            Some(DisabledBy::Config)
        } else if !self.is_hub_on {
            Some(DisabledBy::Hub)
        } else {
            (!self.configured.is_trusted).then_some(DisabledBy::Untrusted)
        }
    }

    /// Returns the state in which a server starts.
    pub(crate) fn first_state(&self) -> ServerState {
        self.disabled().map_or(ServerState::Starting, ServerState::Disabled)
    }
}
