//! The signs of life of a server, and whether somebody waits for it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

/// When a server was heard last, and how many wait for it.
#[derive(Debug)]
pub(crate) struct Life(Mutex<State>);

#[derive(Debug)]
struct State {
    heard: Instant,
    waiting: usize,
    /// When the last one ceased to wait.
    rested: Instant,
}

/// Somebody waits for the server as long as this is there, and has a limit of his own.
#[derive(Debug)]
pub(crate) struct Waits<'a>(&'a Life);

impl Life {
    /// Something came from the server.
    pub(super) fn hear(&self) {
        self.lock().heard = Instant::now();
    }

    /// Somebody waits for an answer from now on.
    pub(crate) fn wait(&self) -> Waits<'_> {
        self.lock().waiting += 1;
        Waits(self)
    }

    /// Since when nothing came and nobody waited; `None` while somebody waits.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let state = self.lock();
        (state.waiting == 0).then(|| state.heard.max(state.rested))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Life {
    fn default() -> Self {
        let now = Instant::now();
        Self(Mutex::new(State { heard: now, waiting: 0, rested: now }))
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.waiting -= 1;
        state.rested = Instant::now();
    }
}
