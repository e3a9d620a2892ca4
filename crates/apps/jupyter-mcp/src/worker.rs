//! The task that owns the kernel: runs calls one at a time, handles orders immediately, and detects the kernel's exit.

mod execute;

use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agentwire_transport::ExitReport;
use jupyter_protocol::KernelInfoReply;
use rmcp::model::{CallToolResult, ContentBlock};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::kernel::{Kernel, last_words};
use crate::options::JupyterOptions;
use execute::Ran;

/// A handle to the worker. The kernel is killed when it is dropped.
#[derive(Debug)]
pub(crate) struct Handle {
    jobs: mpsc::Sender<Job>,
    orders: mpsc::Sender<Order>,
    shared: Arc<Shared>,
    _worker: AbortOnDropHandle<()>,
}

/// A queued request.
#[derive(Debug)]
enum Job {
    Execute(Execution),
    /// Starts the kernel, if none is running.
    Start(oneshot::Sender<Result<(), String>>),
    /// Starts a new kernel.
    Restart(oneshot::Sender<Result<(), String>>),
}

/// Code to run.
#[derive(Debug)]
pub(crate) struct Execution {
    code: String,
    limit: Duration,
    /// The kernel for which the code was written: after a restart or an exit, its state is lost.
    generation: u64,
    cancelled: CancellationToken,
    /// Printed output, live; pieces that do not fit the channel are only in the result.
    printed: mpsc::Sender<String>,
    reply: oneshot::Sender<CallToolResult>,
}

/// A request that is not queued.
#[derive(Debug)]
enum Order {
    /// Interrupts the running code; replies whether any was running.
    Interrupt(oneshot::Sender<bool>),
    /// Stops the running code, because the kernel is being killed.
    Abandon,
}

/// The kernel's status.
#[derive(Clone, Debug, Default)]
pub(crate) struct Status {
    pub(crate) state: State,
    pub(crate) info: Option<Box<KernelInfoReply>>,
    /// The name in its specification.
    pub(crate) language: String,
    pub(crate) process: Option<u32>,
    /// How often code ran in this kernel.
    pub(crate) executed: usize,
    /// How the previous kernel exited, unless it was stopped on purpose.
    pub(crate) ended: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    NotStarted,
    Starting,
    Idle,
    Busy,
}

#[derive(Debug, Default)]
struct Shared {
    status: Mutex<Status>,
    generation: AtomicU64,
    closing: CancellationToken,
    /// Cancelled when the kernel and the worker have ended.
    ended: CancellationToken,
}

impl Shared {
    fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Handle {
    /// Starts the worker. The first call starts the kernel.
    pub(crate) fn new(options: Arc<JupyterOptions>) -> Self {
        let (jobs, jobs_in) = mpsc::channel(WAITING);
        let (orders, orders_in) = mpsc::channel(WAITING);
        let shared = Arc::new(Shared::default());
        let worker = Worker {
            options,
            jobs: jobs_in,
            orders: orders_in,
            shared: Arc::clone(&shared),
            kernel: None,
            notice: None,
        };
        let worker = AbortOnDropHandle::new(tokio::spawn(worker.run()));
        Self { jobs, orders, shared, _worker: worker }
    }

    pub(crate) fn status(&self) -> Status {
        self.shared.status().clone()
    }

    /// Returns how many calls are queued.
    pub(crate) fn waiting(&self) -> usize {
        self.jobs.max_capacity() - self.jobs.capacity()
    }

    /// Queues code.
    pub(crate) fn execute(
        &self,
        code: String,
        limit: Duration,
        cancelled: CancellationToken,
        printed: mpsc::Sender<String>,
    ) -> Result<oneshot::Receiver<CallToolResult>, String> {
        let (reply, outcome) = oneshot::channel();
        let generation = self.shared.generation.load(Ordering::SeqCst);
        let job = Job::Execute(Execution { code, limit, generation, cancelled, printed, reply });
        self.jobs.try_send(job).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                format!("{WAITING} calls are waiting already: try again later")
            }
            mpsc::error::TrySendError::Closed(_) => ENDED.to_owned(),
        })?;
        Ok(outcome)
    }

    /// Waits until a kernel is running.
    pub(crate) async fn start(&self) -> Result<(), String> {
        self.ask(Job::Start).await
    }

    /// Kills the kernel with any running code, and waits until a new one is running.
    pub(crate) async fn restart(&self) -> Result<(), String> {
        self.shared.generation.fetch_add(1, Ordering::SeqCst);
        self.orders.send(Order::Abandon).await.map_err(|_| ENDED)?;
        self.ask(Job::Restart).await
    }

    /// Interrupts the running code; returns `false` if none is running.
    pub(crate) async fn interrupt(&self) -> bool {
        let (reply, interrupted) = oneshot::channel();
        self.orders.send(Order::Interrupt(reply)).await.is_ok() && interrupted.await.unwrap_or(false)
    }

    /// Kills the kernel and stops the worker, and waits until both have ended.
    pub(crate) async fn close(&self) {
        self.shared.closing.cancel();
        self.shared.ended.cancelled().await;
    }

    async fn ask(&self, job: impl FnOnce(oneshot::Sender<Result<(), String>>) -> Job) -> Result<(), String> {
        let (reply, done) = oneshot::channel();
        self.jobs.send(job(reply)).await.map_err(|_| ENDED)?;
        done.await.map_err(|_| ENDED)?
    }
}

struct Worker {
    options: Arc<JupyterOptions>,
    jobs: mpsc::Receiver<Job>,
    orders: mpsc::Receiver<Order>,
    shared: Arc<Shared>,
    kernel: Option<Kernel>,
    /// A note for the next call: the kernel has exited, and no call has reported it.
    notice: Option<String>,
}

/// The worker's next step.
enum Next {
    Job(Job),
    Order(Order),
    Ended(ExitReport),
    Close,
}

impl Worker {
    async fn run(mut self) {
        // Set even if the worker panics.
        let _ended = self.shared.ended.clone().drop_guard();
        loop {
            match self.next().await {
                Next::Job(Job::Execute(execution)) => self.execute(execution).await,
                Next::Job(Job::Start(reply)) => {
                    let started = self.start().await;
                    // The caller may have gone, here and below.
                    let _gone = reply.send(started);
                }
                Next::Job(Job::Restart(reply)) => {
                    if let Some(kernel) = self.kernel.take() {
                        kernel.shut_down().await;
                    }
                    self.notice = None;
                    let started = self.start().await;
                    let _gone = reply.send(started);
                }
                Next::Order(Order::Interrupt(reply)) => drop(reply.send(false)),
                Next::Order(Order::Abandon) => {}
                Next::Ended(report) => self.ended(&report).await,
                Next::Close => break,
            }
        }
        if let Some(kernel) = self.kernel.take() {
            kernel.shut_down().await;
        }
    }

    /// Waits for a job or an order; discards output that belongs to no call.
    async fn next(&mut self) -> Next {
        loop {
            let kernel = self.kernel.as_mut();
            let (process, channels) = kernel.map(|kernel| (&kernel.process, &mut kernel.channels)).unzip();
            let ended = async {
                match process {
                    Some(process) => process.ended().await,
                    None => pending().await,
                }
            };
            let output = async {
                match channels {
                    Some(channels) => tokio::select! {
                        _late = channels.iopub.read() => {}
                        _late = channels.shell.read() => {}
                        _late = channels.control.read() => {}
                    },
                    None => pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.shared.closing.cancelled() => return Next::Close,
                order = self.orders.recv() => return order.map_or(Next::Close, Next::Order),
                // Before a job, so that the job gets a new kernel.
                report = ended => return Next::Ended(report),
                // Before the output, so that a flood of it can't delay a job.
                job = self.jobs.recv() => return job.map_or(Next::Close, Next::Job),
                // A broken socket returns errors continuously.
                () = output => tokio::task::yield_now().await,
            }
        }
    }

    async fn execute(&mut self, execution: Execution) {
        if execution.cancelled.is_cancelled() || execution.reply.is_closed() {
            return;
        }
        let generation = execution.generation;
        if generation != self.shared.generation.load(Ordering::SeqCst) {
            let text = "The kernel was restarted or ended before this call ran, and its state is gone: nothing was done.";
            let _gone = execution.reply.send(failed(text));
            return;
        }
        if let Err(error) = self.start().await {
            let _gone = execution.reply.send(failed(&error));
            return;
        }
        // A start takes long enough for the call to be cancelled meanwhile.
        if execution.cancelled.is_cancelled() || execution.reply.is_closed() {
            return;
        }
        let Some(kernel) = self.kernel.take() else { return };
        self.shared.status().state = State::Busy;
        let notice = self.notice.take();
        let Ran { kernel, ended, outcome, reply } = execute::run(
            kernel,
            execution,
            notice.clone(),
            &self.options,
            &mut self.orders,
            &self.shared.closing,
        )
        .await;
        let mut status = self.shared.status();
        status.executed += 1;
        status.state = State::Idle;
        if kernel.is_none() {
            (status.state, status.process) = (State::NotStarted, None);
        }
        status.ended = ended.or(status.ended.take());
        drop(status);
        let is_lost = kernel.is_none();
        self.kernel = kernel;
        if is_lost && !reply.is_closed() {
            // Refuses the queued calls. It fails if a restart has done so: later calls are for the new kernel.
            let counter = &self.shared.generation;
            let _refused =
                counter.compare_exchange(generation, generation + 1, Ordering::SeqCst, Ordering::SeqCst);
        }
        // The outcome of a cancelled call reaches no caller.
        if reply.send(outcome).is_err() {
            self.notice = if is_lost { Some(LOST_WITH_A_CALL.to_owned()) } else { notice };
        }
    }

    /// Starts a kernel if none is running; a restart or the end of the server cancels the start.
    async fn start(&mut self) -> Result<(), String> {
        if self.kernel.is_some() {
            return Ok(());
        }
        if self.shared.closing.is_cancelled() {
            return Err(ENDED.to_owned());
        }
        self.shared.status().state = State::Starting;
        let options = Arc::clone(&self.options);
        let given_up = CancellationToken::new();
        let starting = Kernel::start(&options, &given_up);
        tokio::pin!(starting);
        // A cancelled start has cleaned up when it returns.
        let started = loop {
            tokio::select! {
                biased;
                () = self.shared.closing.cancelled(), if !given_up.is_cancelled() => given_up.cancel(),
                order = self.orders.recv(), if !self.orders.is_closed() => match order {
                    Some(Order::Interrupt(reply)) => drop(reply.send(false)),
                    Some(Order::Abandon) | None => given_up.cancel(),
                },
                started = &mut starting => break started.map_err(|error| error.to_string()),
            }
        };
        let mut status = self.shared.status();
        status.executed = 0;
        match started {
            Ok(kernel) => {
                status.state = State::Idle;
                status.info.clone_from(&kernel.info);
                status.language.clone_from(&kernel.language);
                status.process = Some(kernel.process.id());
                self.kernel = Some(kernel);
                Ok(())
            }
            Err(error) => {
                (status.state, status.process) = (State::NotStarted, None);
                Err(error)
            }
        }
    }

    /// Handles the exit of an idle kernel.
    async fn ended(&mut self, report: &ExitReport) {
        if let Some(kernel) = self.kernel.take() {
            kernel.kill().await;
        }
        let words = last_words(report);
        self.notice = Some(format!(
            "[The kernel had ended since the last call ({words}). A new one was started: nothing of what was computed is left.]"
        ));
        let mut status = self.shared.status();
        (status.state, status.process) = (State::NotStarted, None);
        status.ended = Some(words);
    }
}

fn failed(text: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// The maximum number of queued calls.
const WAITING: usize = 16;
const ENDED: &str = "the server is being ended";

const LOST_WITH_A_CALL: &str = "[The kernel was ended with a call that was cancelled. A new one was started: nothing of what was computed is left.]";

#[cfg(test)]
mod tests;
