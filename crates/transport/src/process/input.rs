//! The child's stdin, shared with the handle so that dropping the handle can end the input.

use std::{
    future::poll_fn,
    io,
    sync::Arc,
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
use crate::{
    error::TransportError,
    lock::Lock,
    transport::{ByteSink, WriteNow},
};

/// A child's input. Dropping it ends the input, after the chunk that was written last.
///
/// If a `write` future is dropped halfway, the rest of its chunk is written before the next chunk, so that no line is
/// truncated.
pub struct ProcessSink {
    pub(super) running: Arc<Running>,
}

impl ByteSink for ProcessSink {
    async fn write(&mut self, chunk: Bytes) -> Result<(), TransportError> {
        let input = &self.running.input;
        poll_fn(|cx| input.poll_flush(cx)).await?;
        input.state.lock().rest = chunk;
        poll_fn(|cx| input.poll_flush(cx)).await
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        let input = &self.running.input;
        if input.state.lock().pipe.is_some() {
            poll_fn(|cx| input.poll_flush(cx)).await?;
            input.close();
        }
        Ok(())
    }

    fn write_now(&self) -> Option<WriteNow> {
        let running = Arc::clone(&self.running);
        Some(Box::new(move |chunk| running.input.write_now(chunk)))
    }

    fn flush_detached(&mut self, rest: Bytes) {
        self.running.input.write_now(rest);
    }
}

impl Drop for ProcessSink {
    fn drop(&mut self) {
        closing::end_input(&self.running);
    }
}

debug_by_name!(ProcessSink);

/// The child's stdin, and the part of the last chunk that is not written yet.
pub(super) struct Input {
    state: Lock<State>,
}

struct State {
    /// `None` once the input has ended.
    pipe: Option<InputPipe>,
    /// The part of the last chunk that is not written yet.
    rest: Bytes,
    /// Wakes a waiting write when the handle ends the input.
    waker: Option<Waker>,
}

impl Input {
    pub(super) fn new(pipe: Sender, guard: Arc<Guard>) -> Self {
        let pipe = Some(InputPipe { pipe, guard });
        Self { state: Lock::new(State { pipe, rest: Bytes::new(), waker: None }) }
    }

    /// Ends the input now, even if a chunk is half written.
    pub(super) fn close(&self) {
        drop(self.take());
    }

    /// Ends the input now, or returns it to the caller if a chunk is half written.
    pub(super) fn take(&self) -> Option<Unsent> {
        let mut state = self.state.lock();
        let (pipe, waker) = (state.pipe.take(), state.waker.take());
        let rest = std::mem::take(&mut state.rest);
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        pipe.filter(|_| !rest.is_empty()).map(|pipe| Unsent { pipe, rest })
    }

    /// Appends a chunk to the unwritten part of the last one, and writes what the pipe accepts at once. Returns whether
    /// that is all.
    fn write_now(&self, chunk: Bytes) -> bool {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let Some(InputPipe { pipe, .. }) = &state.pipe else { return false };
        state.rest = if state.rest.is_empty() { chunk } else { [&*state.rest, &*chunk].concat().into() };
        write_available(pipe, &mut state.rest).is_none()
    }

    fn poll_flush(&self, cx: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let written = loop {
            let Some(InputPipe { pipe, .. }) = &state.pipe else {
                state.rest = Bytes::new();
                break Err(TransportError::Closed);
            };
            if state.rest.is_empty() {
                // An empty slice would still keep the whole chunk in memory.
                state.rest = Bytes::new();
                break Ok(());
            }
            state.waker = Some(cx.waker().clone());
            let attempt = ready!(pipe.poll_write_ready(cx)).and_then(|()| pipe.try_write(&state.rest));
            match attempt {
                Ok(length) => state.rest.advance(length),
                Err(error) if is_temporary(&error) => {}
                Err(error) => {
                    state.pipe = None;
                    state.rest = Bytes::new();
                    break Err(explain(error));
                }
            }
        };
        state.waker = None;
        Poll::Ready(written)
    }
}

/// An input with a half-written chunk, which must be written before the input ends.
pub(super) struct Unsent {
    pipe: InputPipe,
    rest: Bytes,
}

impl Unsent {
    /// Writes the rest of the chunk on this thread, until the deadline, and ends the input.
    pub(super) fn write_until(mut self, deadline: Instant) {
        while !self.rest.is_empty() {
            match write_available(&self.pipe.pipe, &mut self.rest) {
                Some(Errno::AGAIN) if self.wait_for_room(deadline) => {}
                // The child reads no more, or not in time: it gets a truncated line.
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
        let left = Timespec::try_from(left.min(MAX_POLL)).ok();
        // After an error the caller writes again, and then waits again.
        let _ = poll(&mut [PollFd::new(&self.pipe.pipe, PollFlags::OUT)], left.as_ref());
        true
    }
}

/// Writes what the pipe accepts without blocking. Returns the error that stopped it, if the rest is not empty.
fn write_available(pipe: &Sender, rest: &mut Bytes) -> Option<Errno> {
    while !rest.is_empty() {
        match rustix::io::write(pipe, rest) {
            Ok(length) => rest.advance(length),
            Err(Errno::INTR) => {}
            Err(error) => return Some(error),
        }
    }
    // An empty slice would still keep the whole chunk in memory.
    *rest = Bytes::new();
    None
}

/// The write end of the child's stdin. Dropping it also makes the guard close its copy.
struct InputPipe {
    pipe: Sender,
    guard: Arc<Guard>,
}

impl Drop for InputPipe {
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

/// Some systems reject longer timeouts.
const MAX_POLL: Duration = Duration::from_secs(60);
