//! One direction of the in-process pair: a queue with a limit in bytes, independent of any runtime.

use std::{
    collections::VecDeque,
    future::poll_fn,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;

use crate::{error::TransportError, lock::Lock};

/// A queue of chunks with a limit in bytes.
pub(super) struct Pipe {
    capacity: usize,
    state: Lock<State>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Bytes>,
    /// The bytes in `queue`. At most the capacity, plus [`push_unbounded`](Pipe::push_unbounded).
    held: usize,
    /// The writer has ended.
    closed: bool,
    /// The error of an abnormal end, until a read returns it.
    broken: Option<TransportError>,
    /// The reader has ended.
    abandoned: bool,
    readers: Vec<Waker>,
    writers: Vec<Waker>,
}

impl Pipe {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), state: Lock::new(State::default()) }
    }

    pub(super) async fn read(&self) -> Result<Option<Bytes>, TransportError> {
        poll_fn(|cx| self.poll_read(cx)).await
    }

    /// Moves all of `rest` into the pipe, or drops it with an error. If the future is dropped, `rest` keeps the bytes that
    /// were not moved.
    pub(super) async fn write(&self, rest: &mut Bytes) -> Result<(), TransportError> {
        poll_fn(|cx| self.poll_write(rest, cx)).await
    }

    /// Adds to the queue without a limit, for the last chunks of a sink that is being dropped.
    pub(super) fn push_unbounded(&self, rest: Bytes) {
        self.change(|state| {
            if !state.closed && !state.abandoned && !rest.is_empty() {
                state.held += rest.len();
                state.queue.push_back(rest);
            }
        });
    }

    /// Ends the writer's side. The queue is still delivered.
    pub(super) fn close(&self, broken: Option<TransportError>) {
        self.change(|state| {
            if !state.closed {
                state.closed = true;
                state.broken = broken;
            }
        });
    }

    /// Ends the reader's side. The queue is dropped, and writes fail.
    pub(super) fn abandon(&self) {
        self.change(|state| {
            state.abandoned = true;
            state.queue.clear();
            state.held = 0;
        });
    }

    fn poll_read(&self, cx: &Context<'_>) -> Poll<Result<Option<Bytes>, TransportError>> {
        let mut state = self.state.lock();
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
        let mut state = self.state.lock();
        if state.closed || state.abandoned {
            *rest = Bytes::new();
            return Poll::Ready(Err(TransportError::Closed));
        }
        let piece = rest.split_to(rest.len().min(self.capacity.saturating_sub(state.held)));
        let done = rest.is_empty();
        if done {
            // An empty slice would still keep the whole chunk in memory.
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

    /// Changes the state and wakes all readers and writers.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock();
        change(&mut state);
        let (readers, writers) = (std::mem::take(&mut state.readers), std::mem::take(&mut state.writers));
        drop(state);
        readers.into_iter().chain(writers).for_each(Waker::wake);
    }
}

/// Adds a waker if its task is not registered yet. Every change empties the list, so it stays as short as the number of
/// waiting tasks.
fn register(wakers: &mut Vec<Waker>, waker: &Waker) {
    if !wakers.iter().any(|known| known.will_wake(waker)) {
        wakers.push(waker.clone());
    }
}
