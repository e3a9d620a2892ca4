//! The runtime of a blocking session.

use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::Duration,
};

use agentwire_control::in_place::{in_place, mark_thread};
use agentwire_transport::TransportError;
use tokio::{
    runtime::Builder,
    time::{sleep, timeout},
};

use crate::Error;

/// A runtime with one thread, I/O and time, for the tasks of a session.
#[derive(Debug)]
pub(super) struct Runtime(Option<tokio::runtime::Runtime>);

impl Runtime {
    pub(super) fn start() -> Result<Arc<Self>, Error> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("agentwire")
            .on_thread_start(mark_thread)
            .enable_all()
            .build()
            .map_err(|source| Error::Start(TransportError::Io { action: "starting a runtime", source }))?;
        Ok(Arc::new(Self(Some(runtime))))
    }

    /// Blocks this thread on a future that the runtime's thread drives.
    ///
    /// tokio's `block_on` panics in async code; this function only blocks.
    pub(super) fn block_on<F: Future>(&self, future: F) -> F::Output {
        in_place(|| self.park_on(future))
    }

    fn park_on<F: Future>(&self, future: F) -> F::Output {
        let _context = self.0.as_ref().map(tokio::runtime::Runtime::enter);
        let wake_up = Arc::new(WakeUp { thread: thread::current(), came: AtomicBool::new(false) });
        let waker = Waker::from(Arc::clone(&wake_up));
        let mut context = Context::from_waker(&waker);
        // In a task of another runtime, nothing would replenish the task's budget while its thread is blocked.
        let mut future = pin!(tokio::task::coop::unconstrained(future));
        loop {
            match future.as_mut().poll(&mut context) {
                Poll::Ready(output) => return output,
                // The future may have parked this thread too, and used up an unpark.
                Poll::Pending => {
                    while !wake_up.came.swap(false, Ordering::Acquire) {
                        thread::park();
                    }
                }
            }
        }
    }
}

/// Ends the runtime with its last task, at the latest after a minute: a running callback would panic at a timer of an
/// ended runtime, and has a grace period of its own.
///
/// Does not wait for it: the last handle may be dropped on its thread or in async code, where waiting panics.
impl Drop for Runtime {
    fn drop(&mut self) {
        let Some(runtime) = self.0.take() else { return };
        let handle = runtime.handle().clone();
        handle.spawn(async move {
            let last_task = async {
                // tokio counts its tasks, but does not notify of the last one.
                while runtime.metrics().num_alive_tasks() > 1 {
                    sleep(Duration::from_millis(10)).await;
                }
            };
            let _ = timeout(MAX_WAIT, last_task).await;
            runtime.shutdown_background();
        });
    }
}

struct WakeUp {
    thread: Thread,
    came: AtomicBool,
}

impl Wake for WakeUp {
    fn wake(self: Arc<Self>) {
        self.came.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// How long tasks may run after the last handle was dropped.
const MAX_WAIT: Duration = Duration::from_secs(60);
