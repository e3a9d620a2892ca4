//! The time since a server's last activity.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

/// The time of the last activity, and the number of open requests.
#[derive(Debug)]
pub(crate) struct Activity(Mutex<State>);

#[derive(Debug)]
struct State {
    last: Instant,
    open: usize,
}

/// An open request, which has its own time limit. Dropping it ends the request.
#[derive(Debug)]
pub(crate) struct Waits<'a>(&'a Activity);

impl Activity {
    /// Notes a message of the server.
    pub(super) fn note_message(&self) {
        self.lock().last = Instant::now();
    }

    /// Notes an open request.
    pub(crate) fn wait(&self) -> Waits<'_> {
        self.lock().open += 1;
        Waits(self)
    }

    /// Notes an open request, unless `max` are open.
    pub(super) fn wait_if_below(&self, max: usize) -> Option<Waits<'_>> {
        let mut state = self.lock();
        let has_room = state.open < max;
        state.open += usize::from(has_room);
        has_room.then(|| Waits(self))
    }

    /// Returns the time of the last message or request; `None` while a request is open.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let state = self.lock();
        (state.open == 0).then_some(state.last)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Activity {
    fn default() -> Self {
        Self(Mutex::new(State { last: Instant::now(), open: 0 }))
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.open -= 1;
        state.last = Instant::now();
    }
}
