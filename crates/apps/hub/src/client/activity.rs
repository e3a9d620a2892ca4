//! The time since a server's last message.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

/// The time of a server's last message, and the number of requests in flight.
#[derive(Debug)]
pub(crate) struct Activity(Mutex<State>);

#[derive(Debug)]
struct State {
    received: Instant,
    waiting: usize,
    /// When the last request ended.
    rested: Instant,
}

/// A request in flight, which has its own time limit. Dropping it ends the request.
#[derive(Debug)]
pub(crate) struct Waits<'a>(&'a Activity);

impl Activity {
    /// Notes a message of the server.
    pub(super) fn note_message(&self) {
        self.lock().received = Instant::now();
    }

    /// Notes a request in flight.
    pub(crate) fn wait(&self) -> Waits<'_> {
        self.lock().waiting += 1;
        Waits(self)
    }

    /// Returns the time of the last message or request; `None` while a request is in flight.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let state = self.lock();
        (state.waiting == 0).then(|| state.received.max(state.rested))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Activity {
    fn default() -> Self {
        let now = Instant::now();
        Self(Mutex::new(State { received: now, waiting: 0, rested: now }))
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.waiting -= 1;
        state.rested = Instant::now();
    }
}
