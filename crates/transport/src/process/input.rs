//! The child's stdin: one chunk at a time, shared with the handle so that dropping that can end the input too.

use std::{
    fmt,
    future::poll_fn,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker, ready},
    time::{Duration, Instant},
};

use bytes::{Buf, Bytes};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use tokio::net::unix::pipe::Sender;

use super::{closing, guard::Guard, running::Running};
use crate::{error::TransportError, transport::ByteSink};

/// A child's input. Dropping it ends the input, after what was handed over last.
///
/// Of a `write` whose future is dropped half-way, the rest is written before anything else that follows, so that no
/// line is ever cut.
pub struct ProcessSink {
    running: Arc<Running>,
}

impl ProcessSink {
    pub(super) fn new(running: Arc<Running>) -> Self {
        Self { running }
    }
}

impl ByteSink for ProcessSink {
    async fn write(&mut self, chunk: Bytes) -> Result<(), TransportError> {
        let input = &self.running.input;
        poll_fn(|cx| input.poll_flush(cx)).await?;
        input.lock().rest = chunk;
        poll_fn(|cx| input.poll_flush(cx)).await
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        let input = &self.running.input;
        if input.lock().sender.is_some() {
            poll_fn(|cx| input.poll_flush(cx)).await?;
            input.close();
        }
        Ok(())
    }

    fn flush_detached(&mut self, rest: Bytes) {
        self.running.input.leave(&rest);
    }
}

impl Drop for ProcessSink {
    fn drop(&mut self) {
        closing::end_input(&self.running.input, &self.running);
    }
}

impl fmt::Debug for ProcessSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessSink").finish_non_exhaustive()
    }
}

pub(super) struct Input {
    state: Mutex<State>,
}

struct State {
    /// `None` once the input is ended, by whichever side.
    sender: Option<End>,
    /// What the pipe has not taken yet, of the chunk that was handed over last.
    rest: Bytes,
    /// The task that waits for room, to be told when the input is ended from elsewhere.
    waker: Option<Waker>,
}

impl Input {
    pub(super) fn new(pipe: Sender, guard: Arc<Guard>) -> Self {
        let sender = Some(End { pipe, guard });
        Self { state: Mutex::new(State { sender, rest: Bytes::new(), waker: None }) }
    }

    /// Ends the input now; what is half written stays so.
    pub(super) fn close(&self) {
        drop(self.take());
    }

    /// Ends the input now, unless a chunk is half written: then that is left to the caller.
    pub(super) fn take(&self) -> Option<Unsent> {
        let mut state = self.lock();
        let (sender, waker) = (state.sender.take(), state.waker.take());
        let rest = std::mem::take(&mut state.rest);
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        sender.filter(|_| !rest.is_empty()).map(|sender| Unsent { sender, rest })
    }

    /// Puts this behind what is half written.
    ///
    /// What the pipe takes at once is written here and now: the program may end before a thread could.
    fn leave(&self, chunk: &[u8]) {
        let mut guard = self.lock();
        let state = &mut *guard;
        if let Some(sender) = &state.sender {
            state.rest = [&state.rest, chunk].concat().into();
            write_now(&sender.pipe, &mut state.rest);
        }
    }

    fn poll_flush(&self, cx: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let written = loop {
            let Some(End { pipe, .. }) = &state.sender else {
                state.rest = Bytes::new();
                break Err(TransportError::Closed);
            };
            if state.rest.is_empty() {
                // An empty rest would still hold the memory of the whole chunk.
                state.rest = Bytes::new();
                break Ok(());
            }
            state.waker = Some(cx.waker().clone());
            let attempt = ready!(pipe.poll_write_ready(cx)).and_then(|()| pipe.try_write(&state.rest));
            match attempt {
                Ok(length) => state.rest.advance(length),
                Err(error) if is_temporary(&error) => {}
                Err(error) => {
                    state.sender = None;
                    state.rest = Bytes::new();
                    break Err(explain(error));
                }
            }
        };
        state.waker = None;
        Poll::Ready(written)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An input that ends when its last chunk is through.
pub(super) struct Unsent {
    sender: End,
    rest: Bytes,
}

impl Unsent {
    /// Writes on this thread what is left, up to the deadline, and ends the input.
    pub(super) fn write_until(mut self, deadline: Instant) {
        while !self.rest.is_empty() {
            match write_now(&self.sender.pipe, &mut self.rest) {
                Some(Errno::AGAIN) if self.wait_for_room(deadline) => {}
                // The child takes no more, or not in time: it will see a cut line, and end.
                Some(_) => return,
                None => {}
            }
        }
    }

    fn wait_for_room(&self, deadline: Instant) -> bool {
        let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
        else {
            return false;
        };
        let left = Timespec::try_from(left.min(LONGEST_POLL)).ok();
        // After a failure the caller tries to write again and comes back.
        let _ = poll(&mut [PollFd::new(&self.sender.pipe, PollFlags::OUT)], left.as_ref());
        true
    }
}

/// Writes what the pipe takes without waiting, and returns why it takes no more.
fn write_now(pipe: &Sender, rest: &mut Bytes) -> Option<Errno> {
    while !rest.is_empty() {
        match rustix::io::write(pipe, rest) {
            Ok(length) => rest.advance(length),
            Err(Errno::INTR) => {}
            Err(error) => return Some(error),
        }
    }
    None
}

/// The pipe, which the child's guard may hold too: dropping this has it let go.
struct End {
    pipe: Sender,
    guard: Arc<Guard>,
}

impl Drop for End {
    fn drop(&mut self) {
        self.guard.release_input();
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn explain(error: io::Error) -> TransportError {
    match error.kind() {
        io::ErrorKind::BrokenPipe => TransportError::Closed,
        _ => TransportError::Io { action: "writing to the process", source: error },
    }
}

/// Some systems refuse longer waits.
const LONGEST_POLL: Duration = Duration::from_secs(60);
