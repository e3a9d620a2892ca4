//! The task that drives a session, owned by it.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, OnceLock, PoisonError, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use agentwire_control::{Connection, Control, Driver, Messages, panics::error_chain};
use agentwire_transport::{BoxPeerHandle, ExitReport, Lock, PeerHandle, Signal, process::Grace};
use tokio::{
    runtime::Handle,
    sync::Notify,
    task::{JoinError, JoinHandle},
    time::{sleep, timeout},
};

use super::EndedBy;

/// The task that drives a session. Dropping it ends the session.
pub(super) struct Task {
    control: Control,
    shutdown: Arc<Shutdown>,
    work: Arc<Work>,
    join: JoinHandle<Option<ExitReport>>,
}

impl Task {
    /// Spawns the driver of a connection.
    pub(super) fn spawn<F>(
        runtime: &Handle,
        Connection { control, messages, driver }: Connection<F>,
        handle: BoxPeerHandle,
        grace: Grace,
    ) -> (Control, Messages, Self)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let shutdown = Arc::new(Shutdown::default());
        let shared = Arc::clone(&shutdown);
        let peer = Peer { control: control.clone(), handle, grace };
        let work = Work::new(async move {
            tokio::select! {
                biased;
                exit = shared.drive(driver, &peer) => exit,
                () = shared.enforce(&peer) => None,
            }
        });
        let join = runtime.spawn(Polling(Arc::clone(&work)));
        (control.clone(), messages, Self { control, shutdown, work, join })
    }

    /// Ends the CLI's input, and starts the shutdown timer once nothing runs any more.
    pub(super) fn end_input(&self) {
        self.shutdown.when_idle.store(true, Ordering::Relaxed);
        self.control.end_input();
        self.run_over();
    }

    /// Handles the end of a run. The event may be outdated, so the idle state is checked again.
    pub(super) fn run_over(&self) {
        if self.shutdown.when_idle.load(Ordering::Relaxed) && self.control.is_idle() {
            self.shutdown.asked.notify_one();
        }
    }

    /// Ends the CLI's input, and starts the shutdown timer immediately.
    pub(super) fn force_end(&self) {
        self.control.end_input();
        self.shutdown.force();
    }

    /// As [`force_end`](Self::force_end), and also limits the life of this task, because nothing is read any more.
    pub(super) fn close(&self) {
        self.shutdown.closed.store(true, Ordering::Relaxed);
        self.force_end();
    }

    /// Returns the shutdown step that has ended the CLI so far.
    pub(super) fn ended_by(&self) -> EndedBy {
        *self.shutdown.step.lock()
    }

    /// Returns the shutdown step that had ended the CLI when the session ended. Call it after that only.
    pub(super) fn ended_session_by(&self) -> EndedBy {
        self.shutdown.record_last_step()
    }

    /// Waits until the task has ended. Returns the exit of the process, if known.
    /// Fails if the CLI has not ended with the task, because its runtime was shut down or the transport panicked.
    pub(super) async fn ended(&mut self) -> Result<Option<ExitReport>, JoinError> {
        (&mut self.join).await
    }
}

/// Drops the work immediately, so that the CLI ends even if the runtime is not polled any more.
impl Drop for Task {
    fn drop(&mut self) {
        self.work.force_end();
        self.join.abort();
    }
}

/// The CLI, and the time that it has to end.
struct Peer {
    control: Control,
    handle: BoxPeerHandle,
    grace: Grace,
}

impl Peer {
    /// Shortens the grace periods of a CLI that was given no work, because it has nothing to finish or store: those of
    /// its handle, and the returned ones.
    fn limit_unused(&self) -> Grace {
        if self.control.was_given_work() {
            return self.grace;
        }
        self.handle.limit_grace(UNUSED, UNUSED);
        let Grace { after_input, after_terminate, .. } = self.grace;
        self.grace.after_input(after_input.min(UNUSED)).after_terminate(after_terminate.min(UNUSED))
    }

    /// Returns the time after a signal; a killed process needs a moment until it is gone.
    fn time_after(&self, signal: Signal) -> Duration {
        let after = self.limit_unused().after_terminate;
        match signal {
            Signal::Kill if self.handle.has_process() => after.max(AFTER_KILL),
            _ => after,
        }
    }

    /// Returns the time of all steps together, for a process.
    fn time_of_all(&self) -> Duration {
        let Grace { after_input, after_terminate, .. } = self.grace;
        after_input.saturating_add(after_terminate).saturating_add(after_terminate.max(AFTER_KILL))
    }
}

/// The handle is dropped afterwards, which ends the CLI within this grace period.
impl Drop for Peer {
    fn drop(&mut self) {
        self.limit_unused();
    }
}

/// The shutdown state of the peer.
#[derive(Default)]
struct Shutdown {
    asked: Notify,
    /// Whether to shut down once nothing runs any more.
    when_idle: AtomicBool,
    /// Whether to shut down even while something runs.
    forced: AtomicBool,
    /// Whether remaining output is discarded.
    closed: AtomicBool,
    /// The last step so far.
    step: Lock<EndedBy>,
    /// The last step before the session ended; later steps end only the rest of the process.
    last_step: OnceLock<EndedBy>,
}

impl Shutdown {
    /// Drives the session to its end, and then waits, for a limited time, until its process group is gone. Returns the
    /// exit of the process, if known.
    async fn drive<F>(&self, driver: Driver<F>, peer: &Peer) -> Option<ExitReport>
    where
        F: Future<Output = ()>,
    {
        driver.run().await;
        self.record_last_step();
        if !peer.handle.has_process() {
            return None;
        }
        // The process may have closed its output and live on.
        self.force();
        // If the timeout expires, dropping the handle is the last resort.
        timeout(peer.time_of_all(), peer.handle.wait_group()).await.ok()?;
        Some(peer.handle.wait().await)
    }

    /// Shuts the peer down once that is requested: waits for the grace period, then sends SIGTERM, then SIGKILL.
    ///
    /// Returns only if the session has not ended after all grace periods; the caller then abandons it.
    /// The output of an exited peer is read at the reader's pace, unless the session is closed.
    async fn enforce(&self, peer: &Peer) {
        let steps = async {
            self.wait_for_request_and_grace(peer).await;
            self.escalate(peer).await;
        };
        tokio::select! {
            biased;
            _ = peer.handle.wait() => {}
            () = steps => return,
        }
        while !self.closed.load(Ordering::Relaxed) {
            self.asked.notified().await;
        }
        sleep_in_slices(peer.time_of_all()).await;
    }

    /// Waits until the shutdown was requested and the first grace period is over.
    ///
    /// A turn that began meanwhile, for example from a queued prompt, cancels the request unless it was forced.
    async fn wait_for_request_and_grace(&self, peer: &Peer) {
        loop {
            self.asked.notified().await;
            sleep_in_slices(peer.limit_unused().after_input).await;
            if self.forced.load(Ordering::Relaxed) || peer.control.is_idle() {
                return;
            }
        }
    }

    /// Requests the shutdown even while something runs.
    fn force(&self) {
        self.forced.store(true, Ordering::Relaxed);
        self.asked.notify_one();
    }

    /// Sends SIGTERM, then SIGKILL, each with its grace period.
    async fn escalate(&self, peer: &Peer) {
        for (signal, step) in [(Signal::Term, EndedBy::Terminated), (Signal::Kill, EndedBy::Killed)] {
            *self.step.lock() = step;
            match peer.handle.signal(signal) {
                Ok(()) => sleep_in_slices(peer.time_after(signal)).await,
                Err(error) => tracing::warn!(why = %error_chain(&error), "the CLI could not be signalled"),
            }
        }
        // Dropping the handle is the last resort.
        *self.step.lock() = EndedBy::Abandoned;
    }

    /// Records the last step when the session ends, and returns it from then on.
    fn record_last_step(&self) -> EndedBy {
        *self.last_step.get_or_init(|| *self.step.lock())
    }
}

/// Sleeps in slices: if both programs are suspended meanwhile, that uses up one slice only, and the CLI keeps the others.
async fn sleep_in_slices(time: Duration) {
    for _ in 0..10 {
        sleep(time / 10).await;
    }
}

/// The future that the task polls. Either side can drop it: the runtime at its shutdown, or the session when it is
/// dropped.
struct Work(Mutex<Option<WorkFuture>>);

type WorkFuture = Pin<Box<dyn Future<Output = Option<ExitReport>> + Send>>;

impl Work {
    fn new(work: impl Future<Output = Option<ExitReport>> + Send + 'static) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(Box::pin(work)))))
    }

    /// Drops the work. If it is being polled right now, aborting its task drops it afterwards.
    fn force_end(&self) {
        let work = match self.0.try_lock() {
            Ok(mut work) => work.take(),
            Err(TryLockError::Poisoned(work)) => work.into_inner().take(),
            Err(TryLockError::WouldBlock) => None,
        };
        // Dropped outside the lock, because it drops user callbacks.
        drop(work);
    }
}

struct Polling(Arc<Work>);

impl Future for Polling {
    type Output = Option<ExitReport>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.0.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(work) => work.as_mut().poll(context),
            None => Poll::Ready(None),
        }
    }
}

impl Drop for Polling {
    fn drop(&mut self) {
        self.0.force_end();
    }
}

/// The longest shutdown step for a CLI that was given no work. It exits within 0.4 s of its input, even on a busy
/// machine.
const UNUSED: Duration = Duration::from_secs(1);
/// Far longer than a killed process takes to disappear, even on a busy machine.
const AFTER_KILL: Duration = Duration::from_secs(2);
