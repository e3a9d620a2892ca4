//! A runtime of a session's own, and waiting for it without one.

use std::{
    cell::Cell,
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use agentwire_transport::TransportError;
use tokio::{runtime::Builder, task::block_in_place};

use crate::Error;

/// One thread with I/O and time, which runs what a session spawns.
#[derive(Debug)]
pub(super) struct Runtime(Option<tokio::runtime::Runtime>);

impl Runtime {
    pub(super) fn start() -> Result<Arc<Self>, Error> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("agentwire")
            .on_thread_start(|| OURS.set(true))
            .enable_all()
            .build()
            .map_err(|source| Error::Start(TransportError::Io { action: "starting a runtime", source }))?;
        Ok(Arc::new(Self(Some(runtime))))
    }

    /// Waits on this thread for a future that the runtime's own thread moves on.
    ///
    /// The runtime's own way to block panics in async code, where this one merely blocks.
    pub(super) fn block_on<F: Future>(&self, future: F) -> F::Output {
        // A callback that blocks the runtime's own thread would wait for a session that nobody moves.
        if OURS.get() { block_in_place(|| self.park_on(future)) } else { self.park_on(future) }
    }

    fn park_on<F: Future>(&self, future: F) -> F::Output {
        let _context = self.0.as_ref().map(tokio::runtime::Runtime::enter);
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        loop {
            match future.as_mut().poll(&mut context) {
                Poll::Ready(output) => return output,
                // What wakes between the poll and here is not lost: parking then returns at once.
                Poll::Pending => thread::park(),
            }
        }
    }
}

/// Does not wait for the thread: the last handle may be dropped on it, or in async code, where waiting panics.
impl Drop for Runtime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

thread_local! {
    /// Whether this thread is one of a session's runtime.
    static OURS: Cell<bool> = const { Cell::new(false) };
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
