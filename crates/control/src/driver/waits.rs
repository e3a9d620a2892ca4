//! What is waited for, by whom, and until when: every wait ends with the session.

use std::{
    convert::Infallible,
    future::{pending, poll_fn},
    sync::{Arc, MutexGuard},
    task::Poll,
    time::Duration,
};

use agentwire_protocol::Uuid;
use bytes::Bytes;
use tokio::{
    sync::Notify,
    time::{Instant, sleep, sleep_until, timeout},
};

use super::{Shared, shared::State};
use crate::{ControlError, PromptState};

impl Shared {
    /// Does something that writes, once there is room for more to be written, or nothing can be written any more.
    ///
    /// Room is looked for and taken under one lock, so that many who wait together do not overrun it together.
    /// Nothing is done where the future is dropped before, where the limit runs out first, nor where so much is unread
    /// that the peer is not listened to, since it may take nothing until it is.
    pub(crate) async fn when_writable<T>(
        &self,
        limit: Duration,
        subtype: &str,
        act: impl FnOnce(&mut State) -> Result<T, ControlError>,
    ) -> Result<T, ControlError> {
        let deadline = self.now().saturating_add(limit);
        let mut act = Some(act);
        let mut waiting = None;
        wait(&self.written, || {
            let mut state = self.state();
            let room = state.router.transmit_bytes() <= self.config.write_buffer_limit;
            let stuck = !room && state.router.input_is_open();
            if stuck && let Some(parked) = state.backlog(&self.config) {
                return Some(Err(ControlError::Backlogged { subtype: subtype.into(), parked }));
            }
            if stuck && self.now() >= deadline {
                let waiting = state.router.transmit_bytes();
                return Some(Err(ControlError::NotSent { subtype: subtype.into(), after: limit, waiting }));
            }
            if state.router.awaits_ending() || stuck {
                let is_first = stuck && state.room_deadline.is_none_or(|first| deadline < first);
                if is_first {
                    state.room_deadline = Some(deadline);
                }
                waiting.get_or_insert_with(|| Waiting::new(self, state));
                if is_first {
                    self.deadlines.notify_one();
                }
                return None;
            }
            // Asked again only after `None`, so that it is always there.
            act.take().map(|act| {
                let done = self.apply(state, act);
                self.prompt_sent();
                done
            })
        })
        .await
    }

    /// A prompt that was sent may have pushed out what is known of an old one, for which somebody waits.
    pub(crate) fn prompt_sent(&self) {
        self.arrived.notify_waiters();
    }

    /// Waits until so much is known of a prompt; reading goes on for it.
    pub(crate) async fn when_prompt(
        &self,
        prompt: &Uuid,
        known: impl Fn(PromptState) -> bool,
    ) -> Result<PromptState, ControlError> {
        let mut waiting = None;
        wait(&self.arrived, || {
            let state = self.state();
            match state.router.prompt_state(prompt) {
                None => return Some(Err(ControlError::UnknownPrompt { prompt: prompt.clone() })),
                Some(told) if known(told) => return Some(Ok(told)),
                Some(_) => {}
            }
            let subtype = || "user".into();
            if let Some(ending) = state.queue.ended() {
                return Some(Err(ControlError::Closed { subtype: subtype(), ending: Arc::clone(ending) }));
            }
            if let Some(parked) = state.backlog(&self.config) {
                return Some(Err(ControlError::Backlogged { subtype: subtype(), parked }));
            }
            waiting.get_or_insert_with(|| Waiting::new(self, state));
            None
        })
        .await
    }

    /// Somebody waits: reading goes on as for an open request.
    pub(crate) fn begin_waiting(&self) {
        self.apply(self.state(), |state| state.waiters += 1);
    }

    /// Who has begun to wait no longer does.
    pub(crate) fn end_waiting(&self) {
        self.state().waiters -= 1;
    }

    /// Waits for the next lines to write; `None` when the input is to be ended.
    pub(super) async fn next_lines(&self) -> Option<Bytes> {
        poll_fn(|context| {
            let mut state = self.state();
            let lines = state.next_lines();
            if lines.is_none() && state.router.input_is_open() {
                // Whoever has something written takes it, under the same lock.
                state.writer.get_or_insert_with(|| context.waker().clone()).clone_from(context.waker());
                return Poll::Pending;
            }
            // Whoever begins to wait, for room or for leave to read on, has looked under the lock.
            let (waited_for, held_up) = (state.waiters > 0, state.held_up);
            drop(state);
            if waited_for {
                self.written.notify_waiters();
            }
            if held_up {
                self.may_read.notify_waiters();
            }
            Poll::Ready(lines)
        })
        .await
    }

    /// The user has read something of this weight.
    pub(crate) fn read(&self, weight: usize) {
        let mut state = self.state();
        state.queue.read(weight);
        self.let_read(state);
    }

    /// Unlocks the state, and wakes the reading half where it is held up and may now go on.
    ///
    /// Not before: it runs on another thread mostly, which costs more to wake than a message takes.
    pub(super) fn let_read(&self, state: MutexGuard<'_, State>) {
        let may_read = state.held_up && state.may_read(&self.config);
        drop(state);
        if may_read {
            self.may_read.notify_waiters();
        }
    }

    /// Waits until reading may go on, see [`Config`](crate::Config).
    pub(super) async fn may_read(&self) {
        let may_read = || {
            let mut state = self.state();
            state.reading_since = None;
            state.held_up = !state.may_read(&self.config);
            if !state.held_up {
                return Some(());
            }
            if let Some(parked) = state.backlog(&self.config) {
                if state.router.open().0 > 0 {
                    self.apply(state, |state| {
                        state.router.fail_calls(|subtype| ControlError::Backlogged { subtype, parked });
                    });
                }
                // Whoever waits for room, or for news of a prompt, is told as well.
                self.written.notify_waiters();
                self.arrived.notify_waiters();
            }
            None
        };
        // Mostly it may at once, and nobody waits.
        if may_read().is_none() {
            wait(&self.may_read, may_read).await;
        }
    }

    /// Waits until a read has gone without output for the grace, counted from now at the earliest.
    ///
    /// Time in which it is the user who does not read is not counted.
    pub(super) async fn silence(&self, since: Instant) {
        loop {
            let Some(reading) = self.state().reading_since else {
                // A read begins later than now, so that nothing is missed by looking again then.
                sleep(self.config.exit_grace).await;
                continue;
            };
            match reading.max(since).checked_add(self.config.exit_grace) {
                Some(end) if end <= Instant::now() => return,
                Some(end) => sleep_until(end).await,
                None => return pending().await,
            }
        }
    }

    /// Ends calls, and waits for room, when their limits run out. Never returns.
    pub(super) async fn keep_time(&self) -> Infallible {
        loop {
            let next = self.state().next_deadline();
            // One permit is kept where nobody waits, so that no change falls between.
            let changed = self.deadlines.notified();
            match next.and_then(|deadline| self.started.checked_add(deadline)) {
                None => changed.await,
                Some(deadline) => tokio::select! {
                    () = sleep_until(deadline) => {
                        let now = self.now();
                        self.with_router(|router| router.handle_timeout(now));
                        // Those whose limit has not run out set their deadline again.
                        if self.state().room_deadline.take_if(|deadline| *deadline <= now).is_some() {
                            self.written.notify_waiters();
                        }
                    }
                    () = changed => {}
                },
            }
        }
    }

    /// Waits until no handle is left, and then until what was sent is written, in bounded time.
    pub(super) async fn abandoned(&self) {
        wait(&self.abandoned, || self.state().abandoned.then_some(())).await;
        self.end_input();
        let finished = wait(&self.written, || self.state().input_finished.then_some(()));
        if timeout(self.config.exit_grace, finished).await.is_err() {
            tracing::debug!("a session was given up with lines that its peer did not take");
        }
    }
}

/// A sender, or somebody who asks after a prompt, that waits, for as long as this lives: reading goes on as for an open
/// request, since the CLI may have to get rid of what it says before it takes more, or the news may lie behind it.
struct Waiting<'a>(&'a Shared);

impl<'a> Waiting<'a> {
    fn new(shared: &'a Shared, state: MutexGuard<'_, State>) -> Self {
        shared.apply(state, |state| state.waiters += 1);
        Self(shared)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.end_waiting();
    }
}

/// Waits until `ready` gives something; it is asked again after each notification.
pub(super) async fn wait<T>(notify: &Notify, mut ready: impl FnMut() -> Option<T>) -> T {
    loop {
        let mut notified = std::pin::pin!(notify.notified());
        // Registered before asking, so that no notification falls between.
        notified.as_mut().enable();
        if let Some(ready) = ready() {
            return ready;
        }
        notified.await;
        // Mostly it is for us: then there is nothing to register for.
        if let Some(ready) = ready() {
            return ready;
        }
    }
}
