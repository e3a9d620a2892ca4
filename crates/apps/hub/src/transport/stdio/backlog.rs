//! How much waits for a server to take it: a server that reads nothing must not fill our memory.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

/// What waits for a server to take it, in bytes.
#[derive(Debug)]
pub(super) struct Backlog {
    state: Mutex<State>,
    /// Something found no room.
    full: Notify,
}

#[derive(Debug)]
struct State {
    waiting: usize,
    /// When the server last took something, or could first have done so.
    taken: Instant,
    /// The last that came found no room, and it is still to be seen whether the server takes anything.
    is_full: bool,
    /// Something was lost without which the server can't go on.
    is_hopeless: bool,
    stalled: bool,
}

/// There is no room: so many bytes wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server takes no input: {0} bytes wait")]
pub(crate) struct Full(usize);

impl Backlog {
    pub(super) fn new() -> Self {
        let state =
            State { waiting: 0, taken: Instant::now(), is_full: false, is_hopeless: false, stalled: false };
        Self { state: Mutex::new(state), full: Notify::new() }
    }

    /// Counts a message of so many bytes, where there is room for it.
    ///
    /// One that is larger than all the room there is fits where nothing else waits.
    pub(super) fn add(&self, bytes: usize) -> Result<(), Full> {
        let mut state = self.lock();
        let bytes = bytes.saturating_add(OVERHEAD);
        if state.waiting == 0 {
            state.taken = Instant::now();
        } else if state.waiting.saturating_add(bytes) > ROOM {
            state.is_full = true;
            self.full.notify_one();
            return Err(Full(state.waiting));
        }
        state.is_full = false;
        state.waiting = state.waiting.saturating_add(bytes);
        Ok(())
    }

    /// The server has taken so many bytes of a message.
    pub(super) fn taken(&self, bytes: usize) {
        let mut state = self.lock();
        state.waiting = state.waiting.saturating_sub(bytes);
        state.taken = Instant::now();
    }

    /// The server has taken the last byte of a message.
    pub(super) fn taken_whole(&self) {
        self.taken(OVERHEAD);
    }

    /// Something was lost for which the server waits: it is of no use to wait for the server.
    pub(super) fn give_up(&self) {
        self.lock().is_hopeless = true;
        self.full.notify_one();
    }

    /// Resolves when something has found no room and the server has taken nothing for a while, or was given up.
    pub(super) async fn stalled(&self) {
        loop {
            self.full.notified().await;
            while let Some(until) = self.patience() {
                sleep_until(until).await;
            }
            if self.lock().stalled {
                return;
            }
        }
    }

    /// Why nothing more is written, where that is so.
    pub(super) fn why(&self) -> Option<Full> {
        let state = self.lock();
        state.stalled.then_some(Full(state.waiting))
    }

    /// Until when the server may go on without taking anything; `None` where there is nothing to wait for.
    fn patience(&self) -> Option<Instant> {
        let mut state = self.lock();
        let until = state.taken + PATIENCE;
        let is_over = Instant::now() >= until;
        state.stalled = state.is_hopeless || state.is_full && is_over;
        (state.is_full && !state.stalled).then_some(until)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many bytes may wait: several of the largest messages that are usual, and one of the largest that are not.
const ROOM: usize = 64 << 20;
/// What a message takes beside its bytes, so that many small ones have a bound too.
const OVERHEAD: usize = 1 << 10;
/// How long a server may take nothing while more is refused: longer than a pause of one that is busy for a moment.
const PATIENCE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_waits_has_a_bound_and_one_that_is_larger_fits_alone() {
        let backlog = Backlog::new();
        backlog.add(2 * ROOM).unwrap();
        assert_eq!(backlog.add(1), Err(Full(2 * ROOM + OVERHEAD)));
        backlog.taken(2 * ROOM);
        backlog.taken_whole();
        let many = (0..).take_while(|_| backlog.add(0).is_ok()).count();
        assert_eq!(many, ROOM / OVERHEAD, "small ones have a bound too");
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_takes_nothing_is_given_up_once_something_found_no_room() {
        let backlog = Backlog::new();
        let mut stalled = pin!(backlog.stalled());
        backlog.add(ROOM).unwrap();
        tokio::time::advance(10 * PATIENCE).await;
        assert_eq!(stalled.as_mut().now_or_never(), None, "there was room for all");
        let late = Instant::now();
        backlog.add(1).unwrap_err();
        stalled.await;
        assert_eq!(Instant::now(), late, "it has taken nothing for long");
        assert_eq!(backlog.why(), Some(Full(ROOM + OVERHEAD)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_does_not_end_a_server_that_takes_it_slowly() {
        let backlog = Backlog::new();
        tokio::time::advance(10 * PATIENCE).await;
        let mut stalled = pin!(backlog.stalled());
        backlog.add(ROOM).unwrap();
        for _ in 0..5 {
            backlog.add(1).unwrap_err();
            assert_eq!(stalled.as_mut().now_or_never(), None);
            tokio::time::advance(PATIENCE / 2).await;
            backlog.taken(1);
        }
        backlog.taken(ROOM - 5);
        backlog.taken_whole();
        backlog.add(1).unwrap();
        tokio::time::advance(10 * PATIENCE).await;
        assert_eq!(stalled.as_mut().now_or_never(), None, "there is room again");
        assert_eq!(backlog.why(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_server_waits_for_is_not_waited_with() {
        let backlog = Backlog::new();
        backlog.add(ROOM).unwrap();
        backlog.add(1).unwrap_err();
        backlog.give_up();
        assert_eq!(backlog.stalled().now_or_never(), Some(()));
        assert!(backlog.why().is_some());
    }
}
