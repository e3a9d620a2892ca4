//! The time since a server's last activity.

use std::sync::Mutex;

use tokio::time::Instant;

use crate::lock::locked;

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
        locked(&self.0).last = Instant::now();
    }

    /// Notes an open request.
    pub(crate) fn wait(&self) -> Waits<'_> {
        locked(&self.0).open += 1;
        Waits(self)
    }

    /// Notes an open request, unless `max` are open.
    pub(super) fn wait_if_below(&self, max: usize) -> Option<Waits<'_>> {
        let mut state = locked(&self.0);
        let has_room = state.open < max;
        state.open += usize::from(has_room);
        has_room.then(|| Waits(self))
    }

    /// Returns the time of the last message or request; `None` while a request is open.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let state = locked(&self.0);
        (state.open == 0).then_some(state.last)
    }
}

impl Default for Activity {
    fn default() -> Self {
        Self(Mutex::new(State { last: Instant::now(), open: 0 }))
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        let mut state = locked(&self.0.0);
        state.open -= 1;
        state.last = Instant::now();
    }
}
