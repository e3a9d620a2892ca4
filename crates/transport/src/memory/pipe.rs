//! One direction of the in-process pair: a queue bounded in bytes, on a mutex and wakers, without a runtime.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;

use crate::error::TransportError;

pub(super) struct Pipe {
    capacity: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Bytes>,
    /// The bytes in `queue`, at most the capacity but for what was left behind.
    held: usize,
    /// No more will be written.
    closed: bool,
    /// Why, where the end is abnormal; taken by the one read that reports it.
    broken: Option<TransportError>,
    /// Nobody will read any more.
    abandoned: bool,
    readers: Vec<Waker>,
    writers: Vec<Waker>,
}

impl Pipe {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), state: Mutex::new(State::default()) }
    }

    pub(super) async fn read(&self) -> Result<Option<Bytes>, TransportError> {
        poll_fn(|cx| self.poll_read(cx)).await
    }

    /// Moves all of `rest` into the pipe; what a dropped future has not moved stays in `rest`.
    pub(super) async fn write(&self, rest: &mut Bytes) -> Result<(), TransportError> {
        poll_fn(|cx| self.poll_write(rest, cx)).await
    }

    /// Adds to the queue whatever its length: for what is left behind once, in no future.
    pub(super) fn leave(&self, rest: Bytes) {
        self.change(|state| {
            if !state.closed && !state.abandoned && !rest.is_empty() {
                state.held += rest.len();
                state.queue.push_back(rest);
            }
        });
    }

    /// The writer's end: what is in the queue is still delivered.
    pub(super) fn close(&self, broken: Option<TransportError>) {
        self.change(|state| {
            if !state.closed {
                state.closed = true;
                state.broken = broken;
            }
        });
    }

    /// The reader's end: what is in the queue is dropped, and writing fails.
    pub(super) fn abandon(&self) {
        self.change(|state| {
            state.abandoned = true;
            state.queue.clear();
            state.held = 0;
        });
    }

    fn poll_read(&self, cx: &Context<'_>) -> Poll<Result<Option<Bytes>, TransportError>> {
        let mut state = self.lock();
        if let Some(chunk) = state.queue.pop_front() {
            state.held -= chunk.len();
            let writers = std::mem::take(&mut state.writers);
            drop(state);
            writers.into_iter().for_each(Waker::wake);
            return Poll::Ready(Ok(Some(chunk)));
        }
        if let Some(error) = state.broken.take() {
            return Poll::Ready(Err(error));
        }
        if state.closed || state.abandoned {
            return Poll::Ready(Ok(None));
        }
        register(&mut state.readers, cx.waker());
        Poll::Pending
    }

    fn poll_write(&self, rest: &mut Bytes, cx: &Context<'_>) -> Poll<Result<(), TransportError>> {
        let mut state = self.lock();
        if state.closed || state.abandoned {
            return Poll::Ready(Err(TransportError::Closed));
        }
        let piece = rest.split_to(rest.len().min(self.capacity.saturating_sub(state.held)));
        let done = rest.is_empty();
        if done {
            // An empty rest would still hold the memory of the whole chunk.
            *rest = Bytes::new();
        } else {
            register(&mut state.writers, cx.waker());
        }
        if !piece.is_empty() {
            state.held += piece.len();
            state.queue.push_back(piece);
            let readers = std::mem::take(&mut state.readers);
            drop(state);
            readers.into_iter().for_each(Waker::wake);
        }
        if done { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    /// Changes the state, and wakes everyone to see it.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let (readers, writers) = (std::mem::take(&mut state.readers), std::mem::take(&mut state.writers));
        drop(state);
        readers.into_iter().chain(writers).for_each(Waker::wake);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code of a caller runs under this lock, so that a poisoned state is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Every change wakes and forgets all wakers, and a task is kept once: the list stays as short as its tasks are few.
fn register(wakers: &mut Vec<Waker>, waker: &Waker) {
    if !wakers.iter().any(|known| known.will_wake(waker)) {
        wakers.push(waker.clone());
    }
}
