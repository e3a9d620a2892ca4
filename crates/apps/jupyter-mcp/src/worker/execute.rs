//! One call in the kernel, up to the end of the code or of the kernel; every wait has a limit.

mod messages;
mod outcome;

use std::collections::HashSet;
use std::time::Duration;

use agentwire_transport::ExitReport;
use jupyter_protocol::{CommId, ExecuteReply, ExecuteRequest, JupyterMessage};
use jupyter_zmq_client::RuntimeError;
use rmcp::model::{CallToolResult, ContentBlock};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::{Execution, Order};
use crate::kernel::{Kernel, last_words, parent_is, read};
use crate::options::JupyterOptions;
use crate::output::Output;

/// The result of a call; its outcome is sent after the kernel's status was updated.
pub(super) struct Ran {
    /// The kernel, if it is still running.
    pub(super) kernel: Option<Kernel>,
    /// How the kernel exited on its own, if it did.
    pub(super) ended: Option<String>,
    pub(super) outcome: CallToolResult,
    pub(super) reply: oneshot::Sender<CallToolResult>,
}

/// Runs code until it ends or the kernel exits.
pub(super) async fn run(
    mut kernel: Kernel,
    execution: Execution,
    notice: Option<String>,
    options: &JupyterOptions,
    orders: &mut mpsc::Receiver<Order>,
    closing: &CancellationToken,
) -> Ran {
    let Execution { code, limit, cancelled, printed, mut reply, .. } = execution;
    let request: JupyterMessage = ExecuteRequest { allow_stdin: false, ..ExecuteRequest::new(code) }.into();
    let output = Output::new(options.max_chars, options.max_image_bytes);
    let mut call = Call::new(&request, output, printed, limit, options.grace);
    let sending = timeout(SEND_LIMIT, kernel.channels.shell.send(request));
    let end = match closing.run_until_cancelled(sending).await {
        Some(Ok(Ok(()))) => {
            call.follow(&mut kernel, Events { cancelled: &cancelled, reply: &mut reply, orders, closing })
                .await
        }
        Some(Ok(Err(error))) => End::Lost(error.to_string()),
        Some(Err(_late)) => End::Lost("it takes no messages".to_owned()),
        None => End::Closed,
    };
    let (kernel, ended) = match &end {
        End::Finished => (Some(kernel), None),
        End::Quit => {
            kernel.shut_down().await;
            (None, None)
        }
        End::Died(report) => {
            call.drain(&mut kernel, DRAIN_PAUSE).await;
            kernel.kill().await;
            (None, (!call.quits).then(|| last_words(report)))
        }
        _ => {
            kernel.kill().await;
            (None, None)
        }
    };
    let mut outcome = call.outcome(&end);
    if let Some(notice) = notice {
        // Not in the output, which the code may clear.
        outcome.content.insert(0, ContentBlock::text(notice));
    }
    Ran { kernel, ended, outcome, reply }
}

/// A running call.
struct Call {
    /// The request's id, which its messages refer to.
    id: String,
    output: Output,
    printed: mpsc::Sender<String>,
    is_error: bool,
    /// Whether the kernel has shown that it runs the code: earlier interrupts are often lost.
    begun: bool,
    /// The time until which an interrupt is held back if the code has not begun.
    held: Option<Instant>,
    /// The reply, which is shown after all output: it may arrive before earlier output.
    reply: Option<ExecuteReply>,
    idle: bool,
    unreadable: usize,
    /// Whether the code has asked the kernel to exit.
    quits: bool,
    /// The output widgets that capture the output.
    capturing: HashSet<CommId>,
    /// Why the code was interrupted.
    stop: Option<Stop>,
    phase: Phase,
    /// The end of the phase.
    until: Instant,
    limit: Duration,
    grace: Duration,
}

/// A phase of a call; the comments say what its time limit causes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The code is interrupted.
    Running,
    /// The interrupt is repeated if `again`, because a kernel may lose one between two internal steps; otherwise the
    /// kernel is killed, because it ignored the interrupt.
    Stopping { again: bool },
    /// The call ends: the code has ended, and missing messages are lost. Messages postpone this, at most until `latest`.
    Settling { latest: Instant },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    TimedOut,
    Cancelled,
    Asked,
}

enum End {
    Finished,
    /// The code asked for it.
    Quit,
    /// The kernel has exited on its own or by the code.
    Died(ExitReport),
    /// The kernel ignored the interrupt.
    Deaf,
    Restarted,
    Closed,
    Lost(String),
}

/// The sources of events during a call.
struct Events<'a> {
    cancelled: &'a CancellationToken,
    reply: &'a mut oneshot::Sender<CallToolResult>,
    orders: &'a mut mpsc::Receiver<Order>,
    closing: &'a CancellationToken,
}

enum Event {
    Message(Result<Box<JupyterMessage>, RuntimeError>),
    Interrupt(Stop, Option<oneshot::Sender<bool>>),
    Late,
}

impl Call {
    fn new(
        request: &JupyterMessage,
        output: Output,
        printed: mpsc::Sender<String>,
        limit: Duration,
        grace: Duration,
    ) -> Self {
        Self {
            id: request.header.msg_id.clone(),
            output,
            printed,
            is_error: false,
            begun: false,
            held: None,
            reply: None,
            idle: false,
            unreadable: 0,
            quits: false,
            capturing: HashSet::new(),
            stop: None,
            phase: Phase::Running,
            until: after(limit),
            limit,
            grace,
        }
    }

    /// Handles events until the call has ended.
    async fn follow(&mut self, kernel: &mut Kernel, events: Events<'_>) -> End {
        let Events { cancelled, reply, orders, closing } = events;
        while !(self.reply.is_some() && self.idle) {
            let (channels, process) = (&mut kernel.channels, &kernel.process);
            let event = tokio::select! {
                biased;
                () = closing.cancelled() => return End::Closed,
                order = orders.recv() => match order {
                    Some(Order::Interrupt(done)) => Event::Interrupt(Stop::Asked, Some(done)),
                    Some(Order::Abandon) => return End::Restarted,
                    None => return End::Closed,
                },
                () = given_up(cancelled, reply), if self.stop != Some(Stop::Cancelled) => Event::Interrupt(Stop::Cancelled, None),
                // Before the limit, so that code that has ended is not stopped while much output is unread.
                message = read(&mut channels.shell) => Event::Message(message.map(Box::new)),
                // Before the output, so that a flood of it can't delay a limit.
                () = sleep_until(self.held.map_or(self.until, |held| held.min(self.until))) => Event::Late,
                message = read(&mut channels.iopub) => Event::Message(message.map(Box::new)),
                _answer = channels.control.read() => continue,
                report = process.ended() => return End::Died(report),
            };
            match event {
                Event::Message(Ok(message)) if parent_is(&message, &self.id) => {
                    self.take(message.content);
                }
                // A message of another call, or of none.
                Event::Message(Ok(_)) => {}
                Event::Message(Err(RuntimeError::ZmqError(error))) => {
                    // The connections of an exiting kernel close before the process is reaped.
                    return match timeout(END_LIMIT, process.ended()).await {
                        Ok(report) => End::Died(report),
                        Err(_lives) => End::Lost(error.to_string()),
                    };
                }
                Event::Message(Err(error)) => self.unreadable(&error),
                Event::Interrupt(stop, done) => {
                    let runs = !matches!(self.phase, Phase::Settling { .. });
                    if runs {
                        self.interrupt(kernel).await;
                    }
                    if runs || stop == Stop::Cancelled {
                        self.interrupted(stop);
                    }
                    if let Some(done) = done {
                        let _gone = done.send(runs);
                    }
                }
                // Some kernels never report that the code has begun.
                Event::Late if self.held.is_some() => self.interrupt_now(kernel).await,
                Event::Late => match self.phase {
                    Phase::Running => {
                        self.interrupt(kernel).await;
                        self.interrupted(Stop::TimedOut);
                    }
                    Phase::Stopping { again: true } => {
                        self.phase = Phase::Stopping { again: false };
                        kernel.interrupt().await;
                        self.until = after(self.grace / 2);
                    }
                    Phase::Stopping { again: false } => return End::Deaf,
                    Phase::Settling { .. } => return End::Finished,
                },
            }
            if self.begun && self.held.is_some() {
                self.interrupt_now(kernel).await;
            }
        }
        if self.quits {
            return End::Quit;
        }
        // Deno sends results shortly after the end of the code.
        self.drain(kernel, LATE_PAUSE).await;
        End::Finished
    }

    /// Interrupts the code as soon as it runs.
    async fn interrupt(&mut self, kernel: &mut Kernel) {
        if self.begun {
            kernel.interrupt().await;
        } else {
            self.held.get_or_insert_with(|| after(HOLD_LIMIT));
        }
    }

    /// Sends the interrupt now, and starts the grace period.
    async fn interrupt_now(&mut self, kernel: &mut Kernel) {
        // Further interrupts are not held back, so that the end can't be postponed indefinitely.
        (self.begun, self.held) = (true, None);
        kernel.interrupt().await;
        if matches!(self.phase, Phase::Stopping { .. }) {
            self.stopping();
        }
    }

    /// Starts the grace period, with a second interrupt halfway.
    fn stopping(&mut self) {
        self.phase = Phase::Stopping { again: true };
        self.until = after(self.grace / 2);
    }

    /// Notes the reason. Only an interrupt on request has no deadline, because the caller may repeat it.
    fn interrupted(&mut self, stop: Stop) {
        self.stop = Some(stop);
        if stop != Stop::Asked && self.phase == Phase::Running {
            self.stopping();
        }
    }

    /// Reads the call's output after the end of the code or the kernel, until none arrives for this long.
    async fn drain(&mut self, kernel: &mut Kernel, pause: Duration) {
        let until = after(DRAIN_LIMIT);
        while Instant::now() < until {
            match timeout(pause, read(&mut kernel.channels.iopub)).await {
                Ok(Ok(message)) if parent_is(&message, &self.id) => self.take(message.content),
                Ok(Ok(_)) => {}
                Ok(Err(RuntimeError::ZmqError(_))) | Err(_) => return,
                Ok(Err(error)) => self.unreadable(&error),
            }
        }
    }
}

/// Waits until the caller cancels the call or drops it.
async fn given_up(cancelled: &CancellationToken, reply: &mut oneshot::Sender<CallToolResult>) {
    tokio::select! {
        () = cancelled.cancelled() => {}
        () = reply.closed() => {}
    }
}

/// Returns the time after this duration; a year from now if the clock can't represent it.
fn after(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or_else(|| now + YEAR)
}

const SEND_LIMIT: Duration = Duration::from_secs(5);
const HOLD_LIMIT: Duration = Duration::from_secs(2);
const END_LIMIT: Duration = Duration::from_secs(1);
const DRAIN_LIMIT: Duration = Duration::from_millis(500);
const DRAIN_PAUSE: Duration = Duration::from_millis(50);
const LATE_PAUSE: Duration = Duration::from_millis(5);
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

#[cfg(test)]
mod tests;
