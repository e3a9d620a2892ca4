//! What is wanted of a server. The task looks at it, so that no wish is lost or done twice, in whatever order they come.

use std::sync::Arc;

use crate::{
    DisabledBy, ServerState,
    config::{Configured, ServerConfig},
};

/// What is wanted of a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Desired {
    pub(crate) configured: Arc<Configured>,
    /// That of `configured`, for those who want no more.
    pub(crate) config: Arc<ServerConfig>,
    /// The switch of the whole hub.
    pub(crate) is_hub_on: bool,
    /// Counts up with each restart that was asked for.
    pub(crate) run: u64,
    /// Counts up with each change of a file that the server is made of. It restarts it, but not at once where such
    /// changes follow each other.
    pub(crate) touched: u64,
    /// Counts up with each change for which what runs must end; see [`replaces`](Self::replaces).
    pub(crate) generation: u64,
    /// Counts up with each listing that was asked for.
    pub(crate) listing: u64,
}

impl Desired {
    pub(crate) fn new(configured: Configured, is_hub_on: bool) -> Self {
        let config = Arc::new(configured.config.clone());
        Self {
            configured: Arc::new(configured),
            config,
            is_hub_on,
            run: 0,
            touched: 0,
            generation: 0,
            listing: 0,
        }
    }

    /// With another configuration of the same server.
    pub(crate) fn configure(&mut self, configured: &Configured) {
        if *self.configured != *configured {
            self.config = Arc::new(configured.config.clone());
        }
        // Also of one that is equal: it may stand elsewhere in its file.
        self.configured = Arc::new(configured.clone());
    }

    /// Counts the change from another wish, where that is one for which what runs must end.
    pub(super) fn count(&mut self, before: &Self) {
        self.generation = before.generation + u64::from(self.replaces(before));
    }

    /// Who has switched it off, where somebody has.
    pub(crate) fn disabled(&self) -> Option<DisabledBy> {
        if self.config.disabled {
            Some(DisabledBy::Config)
        } else if !self.is_hub_on {
            Some(DisabledBy::Hub)
        } else {
            (!self.configured.is_trusted).then_some(DisabledBy::Untrusted)
        }
    }

    /// The state in which this begins.
    pub(crate) fn first_state(&self) -> ServerState {
        self.disabled().map_or(ServerState::Starting, ServerState::Disabled)
    }

    /// Whether what runs for another wish must end for this one.
    fn replaces(&self, other: &Self) -> bool {
        self.run != other.run
            || self.disabled() != other.disabled()
            || self.config.launch != other.config.launch
    }
}
