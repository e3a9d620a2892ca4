//! The task that moves a session, owned by it.

mod apart;

use std::{
    fmt,
    future::Future,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use agentwire_control::{Control, Driver};
use agentwire_transport::{ExitReport, PeerHandle, Signal};
use tokio::{
    runtime::Handle,
    sync::Notify,
    task::JoinHandle,
    time::{sleep, timeout},
};

use super::EndedBy;
use apart::Apart;

/// The task that moves a session; dropping it ends the session.
#[derive(Debug)]
pub(super) struct Task {
    control: Control,
    end: Arc<End>,
    work: Arc<Work>,
    join: JoinHandle<()>,
}

/// How long the CLI may take at each step of its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grace {
    pub(super) after_input: Duration,
    pub(super) after_terminate: Duration,
    /// Where this program was killed.
    pub(super) orphaned: Duration,
}

impl Default for Grace {
    fn default() -> Self {
        let second = Duration::from_secs(1);
        Self { after_input: 10 * second, after_terminate: 5 * second, orphaned: 2 * second }
    }
}

impl Grace {
    /// Returns the grace of this session, and limits that of its handle: a CLI that was given no work has nothing to
    /// finish or to store.
    fn of(self, control: &Control, handle: &impl PeerHandle) -> Self {
        if control.was_given_work() {
            return self;
        }
        handle.limit_grace(UNUSED, UNUSED);
        Self {
            after_input: self.after_input.min(UNUSED),
            after_terminate: self.after_terminate.min(UNUSED),
            ..self
        }
    }

    /// From one step to the next; a process that is killed gets the moment that the system needs.
    fn after(self, how: Signal, handle: &impl PeerHandle) -> Duration {
        match how {
            Signal::Kill if handle.has_process() => self.after_terminate.max(AFTER_KILL),
            _ => self.after_terminate,
        }
    }

    /// All steps together, for a process.
    fn whole(self) -> Duration {
        let signals = self.after_terminate.saturating_add(self.after_terminate.max(AFTER_KILL));
        self.after_input.saturating_add(signals)
    }
}

impl Task {
    /// Spawns the driver.
    pub(super) fn spawn<F, L>(
        runtime: &Handle,
        control: Control,
        driver: Driver<F>,
        handle: Arc<L>,
        grace: Grace,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
        L: PeerHandle + 'static,
    {
        let end = Arc::new(End::default());
        let bound = Arc::clone(&end);
        let peer = Peer { control: control.clone(), handle, grace };
        let work = Work::new(async move {
            let Peer { control, handle, .. } = &peer;
            // It is asked only when it was woken itself: the driver is polled twice for each callback.
            let enforced = pin!(bound.enforce(control, &**handle, grace));
            tokio::select! {
                biased;
                () = bound.drive(driver, &**handle, grace) => {}
                () = Apart::new(enforced) => {}
            }
        });
        let join = runtime.spawn(Polling(Arc::clone(&work)));
        Self { control, end, work, join }
    }

    /// Ends the CLI's input, and bounds its life from the moment when nothing runs any more.
    pub(super) fn end_input(&self) {
        self.end.when_idle.store(true, Ordering::Relaxed);
        self.control.end_input();
        self.run_over();
    }

    /// Takes note that the run seems to be over: that may be old news, so it is asked again.
    pub(super) fn run_over(&self) {
        if self.end.when_idle.load(Ordering::Relaxed) && self.control.is_idle() {
            self.end.asked.notify_one();
        }
    }

    /// Ends the CLI's input, and bounds its life from now on.
    pub(super) fn give_up(&self) {
        self.control.end_input();
        self.end.force();
    }

    /// As [`give_up`](Self::give_up), and bounds this task too: nobody reads any more.
    pub(super) fn close(&self) {
        self.end.closed.store(true, Ordering::Relaxed);
        self.give_up();
    }

    /// Returns what it took to end the CLI so far.
    pub(super) fn ended_by(&self) -> EndedBy {
        *self.end.ended_by()
    }

    /// Returns how the process ended, once [`ended`](Self::ended) has returned.
    pub(super) fn exit(&self) -> Option<ExitReport> {
        self.end.exit.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until the task has ended, and with it the CLI.
    pub(super) async fn ended(&mut self) {
        // A task that was aborted has ended too.
        if let Err(error) = (&mut self.join).await
            && error.is_panic()
        {
            std::panic::resume_unwind(error.into_panic());
        }
    }
}

/// The work is dropped here and now, so that the CLI ends even where nobody drives the runtime any more.
impl Drop for Task {
    fn drop(&mut self) {
        self.work.give_up();
        self.join.abort();
    }
}

/// What the work needs to end the CLI.
struct Peer<L: PeerHandle> {
    control: Control,
    handle: Arc<L>,
    grace: Grace,
}

/// The handle is dropped next, which ends the CLI within its grace.
impl<L: PeerHandle> Drop for Peer<L> {
    fn drop(&mut self) {
        self.grace.of(&self.control, &*self.handle);
    }
}

/// How and when the peer is made to end.
#[derive(Debug, Default)]
struct End {
    asked: Notify,
    /// Whether it is to end once nothing runs any more.
    when_idle: AtomicBool,
    /// Whether it is to end whatever runs.
    forced: AtomicBool,
    /// Whether what it wrote is read for nobody.
    closed: AtomicBool,
    by: Mutex<EndedBy>,
    /// How the process ended, once it has.
    exit: Mutex<Option<ExitReport>>,
}

impl End {
    /// Moves the session to its end, and then waits until nothing is left of its process, in bounded time.
    async fn drive<F>(&self, driver: Driver<F>, handle: &impl PeerHandle, grace: Grace)
    where
        F: Future<Output = ()>,
    {
        driver.run().await;
        if handle.has_process() {
            // It may have closed its output and live on.
            self.force();
            // Where it is not gone by then, nothing more can be done here: dropping the handle is what is left.
            if timeout(grace.whole(), handle.wait_group()).await.is_ok() {
                *self.exit.lock().unwrap_or_else(PoisonError::into_inner) = Some(handle.wait().await);
            }
        }
    }

    /// Sees to it that the peer ends, once that is asked for: it is given time, then asked, then made to.
    ///
    /// Returns only when the peer should have been gone for long: the session is given up then.
    /// What a peer wrote that has ended is read however slowly, unless the session is closed.
    async fn enforce(&self, control: &Control, handle: &impl PeerHandle, grace: Grace) {
        let steps = async {
            self.time_given(control, handle, grace).await;
            self.press(handle, grace.of(control, handle)).await;
        };
        tokio::select! {
            biased;
            _ = handle.wait() => {}
            () = steps => return,
        }
        while !self.closed.load(Ordering::Relaxed) {
            self.asked.notified().await;
        }
        sleep(grace.whole()).await;
    }

    /// Waits until the peer was asked to end and had its time.
    ///
    /// A turn that has begun meanwhile, as of a prompt that waited, takes the asking back, unless it was forced.
    async fn time_given(&self, control: &Control, handle: &impl PeerHandle, grace: Grace) {
        loop {
            self.asked.notified().await;
            sleep(grace.of(control, handle).after_input).await;
            if self.forced.load(Ordering::Relaxed) || control.is_idle() {
                return;
            }
        }
    }

    /// Asks for the peer's end, whatever runs.
    fn force(&self) {
        self.forced.store(true, Ordering::Relaxed);
        self.asked.notify_one();
    }

    /// The steps themselves.
    async fn press(&self, handle: &impl PeerHandle, grace: Grace) {
        for (how, by) in [(Signal::Term, EndedBy::Terminated), (Signal::Kill, EndedBy::Killed)] {
            self.note(by);
            if handle.signal(how).is_err() {
                // It can't be told, so it is given up: dropping the handle is the transport's last resort.
                break;
            }
            sleep(grace.after(how, handle)).await;
        }
        self.note(EndedBy::Abandoned);
    }

    fn note(&self, by: EndedBy) {
        *self.ended_by() = by;
    }

    fn ended_by(&self) -> MutexGuard<'_, EndedBy> {
        self.by.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The work itself, which the task polls and which either side can drop: the runtime at its shutdown, the session when
/// it is dropped.
struct Work(Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>);

impl Work {
    fn new(work: impl Future<Output = ()> + Send + 'static) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(Box::pin(work)))))
    }

    /// Drops the work; where it is being polled this moment, aborting its task drops it right after.
    fn give_up(&self) {
        let work = match self.0.try_lock() {
            Ok(mut work) => work.take(),
            Err(TryLockError::Poisoned(work)) => work.into_inner().take(),
            Err(TryLockError::WouldBlock) => None,
        };
        // Outside the lock: it drops callbacks of the user's, which may own anything.
        drop(work);
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").finish_non_exhaustive()
    }
}

struct Polling(Arc<Work>);

impl Future for Polling {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut work = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(future) = work.as_mut() {
            ready!(future.as_mut().poll(context));
        }
        Poll::Ready(())
    }
}

impl Drop for Polling {
    fn drop(&mut self) {
        self.0.give_up();
    }
}

/// The longest step of the end of a CLI that was given no work. It ends within 0.4 s of its input, on a busy machine.
const UNUSED: Duration = Duration::from_secs(1);
/// Far more than the end of a killed process takes, also on a busy machine.
const AFTER_KILL: Duration = Duration::from_secs(2);
