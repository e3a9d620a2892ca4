//! One call in the kernel, up to its end or the kernel's: nothing here waits without a limit.

mod messages;
mod outcome;

use std::time::Duration;

use agentwire_transport::ExitReport;
use jupyter_protocol::{ExecuteRequest, JupyterMessage};
use jupyter_zmq_client::RuntimeError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::{Execution, Order, Outcome};
use crate::kernel::{Kernel, last_words, parent_is};
use crate::options::Options;
use crate::output::Output;

/// Code that ran: its outcome is for who waits, once the kernel's state is told.
pub(super) struct Ran {
    /// Where it goes on.
    pub(super) kernel: Option<Kernel>,
    /// How it ended by itself, where it did.
    pub(super) ended: Option<String>,
    pub(super) outcome: Outcome,
    pub(super) reply: oneshot::Sender<Outcome>,
}

/// Runs the code to its end, or the kernel's.
pub(super) async fn run(
    mut kernel: Kernel,
    execution: Execution,
    notice: Option<String>,
    options: &Options,
    orders: &mut mpsc::Receiver<Order>,
    closing: &CancellationToken,
) -> Ran {
    let Execution { code, limit, cancelled, printed, mut reply, .. } = execution;
    let request: JupyterMessage = ExecuteRequest { allow_stdin: false, ..ExecuteRequest::new(code) }.into();
    let mut output = Output::new(options.max_chars, options.max_image_bytes);
    if let Some(notice) = notice {
        output.say(&notice);
    }
    let mut call = Call {
        id: request.header.msg_id.clone(),
        output,
        printed,
        is_error: false,
        begun: false,
        held: None,
        again: false,
        replied: false,
        idle: false,
        unreadable: 0,
        quits: false,
        stop: None,
        phase: Phase::Running,
        until: after(limit),
        settled: after(limit),
        limit,
        grace: options.grace,
    };
    let end = match timeout(SEND_LIMIT, kernel.channels.shell.send(request)).await {
        Ok(Ok(())) => {
            call.follow(&mut kernel, Events { cancelled: &cancelled, reply: &mut reply, orders, closing })
                .await
        }
        Ok(Err(error)) => End::Lost(error.to_string()),
        Err(_late) => End::Lost("it takes no messages".to_owned()),
    };
    let (kernel, ended) = match &end {
        End::Finished => (Some(kernel), None),
        End::Quit => {
            kernel.shut_down().await;
            (None, None)
        }
        End::Died(report) => {
            call.drain(&mut kernel).await;
            kernel.kill().await;
            (None, (!call.quits).then(|| last_words(report)))
        }
        _ => {
            kernel.kill().await;
            (None, None)
        }
    };
    Ran { kernel, ended, outcome: call.outcome(&end), reply }
}

/// A call that runs.
struct Call {
    /// Of the request: what belongs to it names it.
    id: String,
    output: Output,
    printed: mpsc::Sender<String>,
    is_error: bool,
    /// The kernel has shown that it runs the code: before that many lose an interrupt.
    begun: bool,
    /// An interrupt waits until it has begun, and no longer than this.
    held: Option<Instant>,
    /// It is to be interrupted once more: a kernel may lose an interrupt between two steps of its own.
    again: bool,
    replied: bool,
    idle: bool,
    unreadable: usize,
    /// The code has asked for the end of the kernel.
    quits: bool,
    /// Why it was interrupted.
    stop: Option<Stop>,
    phase: Phase,
    /// When the phase ends.
    until: Instant,
    /// When the last phase ends at the latest.
    settled: Instant,
    limit: Duration,
    grace: Duration,
}

/// What happens when the time is over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// An interrupt.
    Running,
    /// The kernel's end: it has not heeded the interrupt.
    Stopping,
    /// Nothing: the code has ended, and what is missing was lost on the way.
    Settling,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    TimedOut,
    Cancelled,
    Asked,
}

enum End {
    Finished,
    /// The code wanted it.
    Quit,
    /// The kernel has ended, by itself or by what the code did.
    Died(ExitReport),
    /// It did not heed the interrupt.
    Deaf,
    Restarted,
    Closed,
    Lost(String),
}

/// What may come in the midst of a call.
struct Events<'a> {
    cancelled: &'a CancellationToken,
    reply: &'a mut oneshot::Sender<Outcome>,
    orders: &'a mut mpsc::Receiver<Order>,
    closing: &'a CancellationToken,
}

enum Event {
    Message(Result<Box<JupyterMessage>, RuntimeError>),
    Interrupt(Stop, Option<oneshot::Sender<bool>>),
    Late,
}

impl Call {
    /// Takes what comes until the call has ended.
    async fn follow(&mut self, kernel: &mut Kernel, events: Events<'_>) -> End {
        let Events { cancelled, reply, orders, closing } = events;
        while !(self.replied && self.idle) {
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
                // Before the messages: a flood of them holds up no limit.
                () = sleep_until(self.held.map_or(self.until, |held| held.min(self.until))) => Event::Late,
                message = channels.iopub.read() => Event::Message(message.map(Box::new)),
                message = channels.shell.read() => Event::Message(message.map(Box::new)),
                _answer = channels.control.read() => continue,
                report = process.ended() => return End::Died(report),
            };
            match event {
                Event::Message(Ok(message)) if parent_is(&message, &self.id) => {
                    self.take(message.content);
                }
                // Of another call, or of none.
                Event::Message(Ok(_)) => {}
                Event::Message(Err(RuntimeError::ZmqError(error))) => {
                    // The connections of a kernel that ends are gone a moment before it is.
                    return match timeout(END_LIMIT, process.ended()).await {
                        Ok(report) => End::Died(report),
                        Err(_lives) => End::Lost(error.to_string()),
                    };
                }
                Event::Message(Err(error)) => self.unreadable(&error),
                Event::Interrupt(stop, done) => {
                    let runs = self.phase != Phase::Settling;
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
                // It may never say that it has begun.
                Event::Late if self.held.is_some() => self.interrupt_now(kernel).await,
                Event::Late => match self.phase {
                    Phase::Running => {
                        self.interrupt(kernel).await;
                        self.interrupted(Stop::TimedOut);
                    }
                    Phase::Stopping if self.again => {
                        self.again = false;
                        kernel.interrupt().await;
                        self.until = after(self.grace / 2);
                    }
                    Phase::Stopping => return End::Deaf,
                    Phase::Settling => return End::Finished,
                },
            }
            if self.begun && self.held.is_some() {
                self.interrupt_now(kernel).await;
            }
        }
        if self.quits { End::Quit } else { End::Finished }
    }

    /// Interrupts the code as soon as it runs.
    async fn interrupt(&mut self, kernel: &mut Kernel) {
        if self.begun {
            kernel.interrupt().await;
        } else {
            self.held.get_or_insert_with(|| after(HOLD_LIMIT));
        }
    }

    /// Interrupts the code that an interrupt was held back from; from now on it has the grace to heed it.
    async fn interrupt_now(&mut self, kernel: &mut Kernel) {
        // None is held back after this one, or the end could be put off for ever.
        (self.begun, self.held) = (true, None);
        kernel.interrupt().await;
        if self.phase == Phase::Stopping {
            self.stopping();
        }
    }

    /// The grace begins, in the middle of which it is interrupted again.
    fn stopping(&mut self) {
        self.phase = Phase::Stopping;
        self.again = true;
        self.until = after(self.grace / 2);
    }

    /// Who asks for an interrupt may ask again; whoever else does wants an end of it.
    fn interrupted(&mut self, stop: Stop) {
        self.stop = Some(stop);
        if stop != Stop::Asked && self.phase == Phase::Running {
            self.stopping();
        }
    }

    /// Reads what a kernel wrote before it ended.
    async fn drain(&mut self, kernel: &mut Kernel) {
        let until = after(DRAIN_LIMIT);
        while Instant::now() < until
            && let Ok(Ok(message)) = timeout(DRAIN_PAUSE, kernel.channels.iopub.read()).await
        {
            if parent_is(&message, &self.id) {
                self.take(message.content);
            }
        }
    }
}

/// The caller has cancelled the call, or waits for it no longer.
async fn given_up(cancelled: &CancellationToken, reply: &mut oneshot::Sender<Outcome>) {
    tokio::select! {
        () = cancelled.cancelled() => {}
        () = reply.closed() => {}
    }
}

/// A time too far for the clock is a year away.
fn after(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or_else(|| now + YEAR)
}

const SEND_LIMIT: Duration = Duration::from_secs(5);
const HOLD_LIMIT: Duration = Duration::from_secs(2);
const END_LIMIT: Duration = Duration::from_secs(1);
const DRAIN_LIMIT: Duration = Duration::from_millis(500);
const DRAIN_PAUSE: Duration = Duration::from_millis(50);
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
