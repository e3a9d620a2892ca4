//! The waits of senders, callers and the driver. Every wait ends with the session.

use std::{
    convert::Infallible,
    future::{pending, poll_fn},
    sync::{Arc, MutexGuard},
    task::Poll,
};

use agentwire_protocol::Uuid;
use bytes::Bytes;
use tokio::{
    sync::Notify,
    task::yield_now,
    time::{Instant, sleep, sleep_until, timeout},
};

use super::{BackpressurePause, Control, Shared, shared::State};
use crate::{ControlError, PromptState, SessionExit};

impl Control {
    /// Runs `act`, which queues lines, when the write buffer has room or the input takes no more lines.
    ///
    /// Checks for room and runs `act` under one lock, so that concurrent senders do not overrun the buffer.
    /// Does not run `act` if the future is dropped or the time limit passes before, or if the hard limit of unread messages
    /// stops reading, because the peer may take no input until it is read.
    pub(super) async fn when_writable<T>(
        &self,
        subtype: &str,
        act: impl FnOnce(&mut State) -> Result<T, ControlError>,
    ) -> Result<T, ControlError> {
        let (shared, limit) = (self.shared(), self.limit());
        let deadline = shared.now().saturating_add(limit);
        let mut act = Some(act);
        let mut pause = None;
        wait(&shared.written, || {
            let mut state = shared.state.lock();
            let (input, waiting) = (state.router.check_input(subtype), state.router.transmit_bytes());
            let waits = match &input {
                Ok(()) => waiting > shared.config.write_buffer_limit,
                Err(_) => state.router.awaits_ending(),
            };
            if !waits {
                // Always `Some`: this closure runs again only after it returned `None`.
                return act.take().map(|act| {
                    let done = shared.apply(state, act);
                    // A new prompt may have displaced the state of an old one.
                    shared.prompt_changed.notify_waiters();
                    done
                });
            }
            if let Some(unread) = state.backlog(&shared.config) {
                return Some(Err(ControlError::Backlogged { subtype: subtype.into(), unread }));
            }
            if shared.now() >= deadline {
                let late = ControlError::NotSent { subtype: subtype.into(), after: limit, waiting };
                return Some(Err(input.err().unwrap_or(late)));
            }
            let is_first = state.room_deadline.is_none_or(|first| deadline < first);
            if is_first {
                state.room_deadline = Some(deadline);
            }
            // The CLI may have to write output before it takes input.
            pause.get_or_insert_with(|| BackpressurePause::new(&self.handle, state));
            if is_first {
                shared.deadlines.notify_one();
            }
            None
        })
        .await
    }

    /// Waits until the state of a prompt satisfies `is_reached`. Reading goes on meanwhile.
    pub(super) async fn when_prompt(
        &self,
        prompt: &Uuid,
        is_reached: impl Fn(PromptState) -> bool,
    ) -> Result<PromptState, ControlError> {
        let shared = self.shared();
        let mut pause = None;
        wait(&shared.prompt_changed, || {
            let state = shared.state.lock();
            match state.router.prompt_state(prompt) {
                None => return Some(Err(ControlError::UnknownPrompt { prompt: prompt.clone() })),
                Some(state) if is_reached(state) => return Some(Ok(state)),
                Some(_) => {}
            }
            let subtype = || "user".into();
            if let Some(ending) = state.queue.ended() {
                return Some(Err(ControlError::Closed { subtype: subtype(), ending: Arc::clone(ending) }));
            }
            if let Some(unread) = state.backlog(&shared.config) {
                return Some(Err(ControlError::Backlogged { subtype: subtype(), unread }));
            }
            // The state of the prompt may lie behind unread messages.
            pause.get_or_insert_with(|| BackpressurePause::new(&self.handle, state));
            None
        })
        .await
    }
}

impl Shared {
    /// Waits until the session has ended, and returns how.
    pub(super) async fn ended(&self) -> Arc<SessionExit> {
        wait(&self.written, || self.state.lock().queue.ended().cloned()).await
    }

    /// Waits for the next line to write, or returns an empty one if the sink keeps the rest of the last one. Returns `None`
    /// at the end of the input.
    pub(super) async fn next_line(&self) -> Option<Bytes> {
        poll_fn(|context| {
            let mut state = self.state.lock();
            let half_written = std::mem::take(&mut state.half_written);
            let line = if half_written { Some(Bytes::new()) } else { state.router.poll_transmit() };
            if line.is_none() && state.router.input_is_open() {
                // A task that queues a line takes this waker under the same lock.
                state.writer.get_or_insert_with(|| context.waker().clone()).clone_from(context.waker());
                return Poll::Pending;
            }
            // No lost wake-up: a task checks its condition and increments `pauses` under one lock.
            let (may_have_waiters, reading_paused) = (state.pauses > 0, state.reading_paused);
            drop(state);
            if may_have_waiters {
                self.written.notify_waiters();
            }
            if reading_paused {
                self.may_read.notify_waiters();
            }
            Poll::Ready(line)
        })
        .await
    }

    /// Waits until the broken input has lost a prompt or an answer.
    pub(super) async fn line_lost(&self) {
        poll_fn(|context| {
            let mut state = self.state.lock();
            if state.router.line_was_lost() {
                return Poll::Ready(());
            }
            // Each change of the router wakes it, since the input is not open.
            state.writer = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Releases `weight` bytes of the backpressure budget.
    pub(super) fn release(&self, weight: usize) {
        let mut state = self.state.lock();
        state.queue.release(weight);
        self.resume_reading(state);
    }

    /// Unlocks the state, and wakes the reading half if it is paused and may go on.
    ///
    /// Checks that first, because waking another thread costs more than a message does.
    pub(super) fn resume_reading(&self, state: MutexGuard<'_, State>) {
        let may_read = state.reading_paused && state.may_read(&self.config);
        drop(state);
        if may_read {
            self.may_read.notify_waiters();
        }
    }

    /// Waits until reading may go on: see [`Config`](crate::Config).
    pub(super) async fn may_read(&self) {
        let may_read = || {
            let mut state = self.state.lock();
            state.reading_since = None;
            state.reading_paused = !state.may_read(&self.config);
            if !state.reading_paused {
                return Some(());
            }
            if let Some(unread) = state.backlog(&self.config) {
                if state.router.open().0 > 0 {
                    self.apply(state, |state| {
                        state.router.fail_calls(|subtype| ControlError::Backlogged { subtype, unread });
                    });
                } else {
                    drop(state);
                }
                // Tasks that wait for room or for a prompt fail too.
                self.written.notify_waiters();
                self.prompt_changed.notify_waiters();
            }
            None
        };
        wait(&self.may_read, may_read).await;
    }

    /// Waits until a read got no output for the grace period, which starts at `since` at the earliest.
    ///
    /// Time in which reading waits for the user does not count.
    pub(super) async fn silence(&self, since: Instant) {
        loop {
            let Some(reading) = self.state.lock().reading_since else {
                // A read that begins meanwhile can't exceed the grace period before this checks again.
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

    /// Times out calls and senders. Never returns.
    pub(super) async fn keep_time(&self) -> Infallible {
        loop {
            let next = self.state.lock().next_deadline();
            // `notify_one` stores a permit, so no change between these lines is lost.
            let changed = self.deadlines.notified();
            match next.and_then(|deadline| self.started.checked_add(deadline)) {
                None => changed.await,
                Some(deadline) => tokio::select! {
                    () = sleep_until(deadline) => {
                        // After a suspension of this process, timers fire before pipes are read, which may have the answer.
                        yield_now().await;
                        let now = self.now();
                        self.with_router(|router| router.handle_timeout(now));
                        // Senders set the deadline again unless their limit has passed.
                        if self.state.lock().room_deadline.take_if(|deadline| *deadline <= now).is_some() {
                            self.written.notify_waiters();
                        }
                    }
                    () = changed => {}
                },
            }
        }
    }

    /// Waits until all handles are dropped, and then up to the grace period until all lines are written.
    pub(super) async fn abandoned(&self) {
        wait(&self.abandoned, || self.state.lock().abandoned.then_some(())).await;
        self.end_input();
        let finished = wait(&self.written, || self.state.lock().input_finished.then_some(()));
        if timeout(self.config.exit_grace, finished).await.is_err() {
            tracing::debug!("a session was dropped with lines that its peer did not take");
        }
    }
}

/// Waits until `ready` returns a value. Calls it again after each notification.
pub async fn wait<T>(notify: &Notify, mut ready: impl FnMut() -> Option<T>) -> T {
    loop {
        // No lost wake-up: it gets the notifications from here on.
        let notified = notify.notified();
        if let Some(ready) = ready() {
            return ready;
        }
        notified.await;
    }
}
