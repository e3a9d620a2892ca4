//! The state that the driver, the handles and the callbacks share: a router behind one lock, never held over an await.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, MutexGuard},
    task::{Context, Poll, Waker},
    thread::panicking,
    time::Duration,
};

use agentwire_codec::{Frame, FrameError, Line};
use agentwire_protocol::{InboundRequest, RawJson, RequestId};
use agentwire_transport::{Lock, WriteNow};
use tokio::{
    sync::{Notify, oneshot},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::{Config, callbacks::RunningCallback, effects::Effects, queue::MessageQueue};
use crate::{
    ControlError, Observer, RawEvent, Received, RefusalFn, RequestClosed, Responder, Router, SessionExit,
    panics::catch_call,
};

/// The state of one session.
pub(crate) struct Shared {
    pub(super) config: Config,
    pub(super) started: Instant,
    pub(super) state: Lock<State>,
    /// Whether the CLI would go ahead with a guarded action without an answer.
    pub(super) guarded: bool,
    observer: Option<Arc<dyn Observer>>,
    /// Notifies senders that there may be room, or that no more lines will be written; and tasks that wait for the end of
    /// the input or the session.
    pub(super) written: Notify,
    /// Notifies tasks that wait for the state of a prompt.
    pub(super) prompt_changed: Notify,
    /// Notifies the reading half that backpressure may be over.
    pub(super) may_read: Notify,
    /// Notifies the clock that the next deadline may have changed.
    pub(super) deadlines: Notify,
    /// Notifies of a change while the input waits for an idle CLI.
    pub(super) quiet: Notify,
    /// Notifies the driver that the last handle was dropped.
    pub(super) abandoned: Notify,
}

#[derive(Default)]
pub(crate) struct State {
    pub(super) router: Router,
    pub(super) queue: MessageQueue,
    pub(super) callbacks: HashMap<RequestId, RunningCallback>,
    /// The writing half, while it waits for a line, for the end of the input or, once that is broken, for a lost line.
    pub(super) writer: Option<Waker>,
    /// Writes lines on the thread that queues them, while the writing half waits.
    pub(super) direct_write: Option<WriteNow>,
    /// Whether the sink may keep the rest of a line, which the writing half writes.
    pub(super) half_written: bool,
    /// The number of the last callback.
    pub(super) last_callback: u64,
    /// The number of [`BackpressurePause`](crate::BackpressurePause) guards. Each task that waits for room or for a
    /// prompt's state holds one.
    ///
    /// While it is not 0, the soft limit does not apply.
    pub(super) pauses: usize,
    /// The earliest deadline of the senders that wait for room. That sender may be gone.
    pub(super) room_deadline: Option<Duration>,
    /// Whether a responder answers requests, which may lie behind unread messages.
    has_responder: bool,
    /// Whether reading waits for the user.
    pub(super) reading_paused: bool,
    /// When the read that waits for output of a running peer began; the start of the session, if that was before the
    /// input broke.
    pub(super) reading_since: Option<Instant>,
    /// Whether the writing half has ended.
    pub(super) input_finished: bool,
    /// Whether all handles were dropped.
    pub(super) abandoned: bool,
    /// The senders of replies to open calls.
    pub(super) calls: HashMap<RequestId, ReplySender>,
}

/// Passes a reply to its call.
pub(crate) type ReplySender = oneshot::Sender<Result<RawJson, ControlError>>;

/// A callback that is about to start.
pub(super) struct PendingCallback {
    pub(super) id: RequestId,
    /// Distinguishes it from a later callback with the same request id.
    pub(super) number: u64,
    pub(super) cancelled: CancellationToken,
    pub(super) request: InboundRequest,
    pub(super) line: Line,
}

impl Shared {
    pub(super) fn new(
        config: Config,
        responder: &dyn Responder,
        observer: Option<Arc<dyn Observer>>,
    ) -> Self {
        Self {
            config,
            guarded: responder.guards(),
            started: Instant::now(),
            state: Lock::new(State { has_responder: responder.may_answer_any(), ..State::default() }),
            observer,
            written: Notify::new(),
            prompt_changed: Notify::new(),
            may_read: Notify::new(),
            deadlines: Notify::new(),
            quiet: Notify::new(),
            abandoned: Notify::new(),
        }
    }

    pub(super) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Runs `act` on the router, and applies the effects.
    pub(super) fn with_router<T>(&self, act: impl FnOnce(&mut Router) -> T) -> T {
        self.apply(self.state.lock(), |state| act(&mut state.router))
    }

    /// Calls the observer. Its panic is only logged: it would end the session, or abort the process in a destructor.
    pub(super) fn observe(&self, call: impl FnOnce(&dyn Observer)) {
        if let Some(observer) = &self.observer
            && let Err(panic) = catch_call(|| call(&**observer))
        {
            tracing::error!(panic, "the observer of a session panicked");
        }
    }

    /// Runs `act` on the locked state, unlocks it, and applies the effects.
    pub(super) fn apply<T>(&self, mut state: MutexGuard<'_, State>, act: impl FnOnce(&mut State) -> T) -> T {
        let (calls, _) = state.router.open();
        let result = act(&mut state);
        let mut effects = Effects::default();
        // Without frames no request can arrive, so there is no callback to start.
        state.drain_events(self, None, &mut effects);
        self.apply_effects(state, effects, calls);
        result
    }

    /// Passes lines to the router and applies the effects. Returns the callbacks to start.
    pub(super) fn handle_lines(
        &self,
        lines: impl Iterator<Item = Result<Frame, FrameError>>,
        responder: &dyn Responder,
    ) -> Vec<PendingCallback> {
        let mut state = self.state.lock();
        let (calls, _) = state.router.open();
        let mut effects = Effects::default();
        for line in lines {
            match line {
                Ok(frame) => state.router.handle_frame(frame),
                Err(fault) => state.router.handle_fault(fault),
            }
            state.drain_events(self, Some(responder), &mut effects);
        }
        let callbacks = std::mem::take(&mut effects.callbacks);
        self.apply_effects(state, effects, calls);
        callbacks
    }

    /// Starts a call at once: its time limit runs, and reading goes on for it, even while earlier lines are queued.
    ///
    /// Returns the id of the call; `reply` gets its reply.
    pub(super) fn start_call(
        &self,
        reply: ReplySender,
        call: impl FnOnce(&mut Router) -> RequestId,
    ) -> RequestId {
        self.apply(self.state.lock(), |state| {
            let id = call(&mut state.router);
            state.calls.insert(id.clone(), reply);
            id
        })
    }

    /// Answers the request of the callback with this number. `answer` gets the way to refuse the request, if there is one.
    ///
    /// If that request was cancelled, a later request with the same id stays open.
    pub(super) fn answer(
        &self,
        id: &RequestId,
        number: u64,
        answer: impl FnOnce(Option<RefusalFn>) -> Result<RawJson, String>,
    ) -> Result<(), RequestClosed> {
        self.apply(self.state.lock(), |state| {
            let running = state.callbacks.get(id).filter(|running| running.number == number);
            let refusal = running.ok_or(RequestClosed)?.refusal;
            state.callbacks.remove(id);
            state.router.answer(id, answer(refusal))
        })
    }

    /// Queues a line that the router does not show, and wakes the reader.
    pub(super) fn push_line(&self, line: Line) {
        let mut state = self.state.lock();
        state.push_line(line);
        let reader = state.queue.take_reader();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// Moves all unread events into the empty `batch`, or returns the end of the session.
    ///
    /// `read` is the weight of the events that were read since the last call of this or of [`release`](Self::release).
    pub(super) fn poll_batch(
        &self,
        read: usize,
        batch: &mut VecDeque<RawEvent>,
        context: &Context<'_>,
    ) -> Poll<Result<(), Arc<SessionExit>>> {
        let mut state = self.state.lock();
        state.queue.release(read);
        let polled = state.queue.poll(batch, context);
        self.resume_reading(state);
        polled
    }

    /// Calls `read` with the router, and applies no effects.
    pub(super) fn read_router<T>(&self, read: impl FnOnce(&Router) -> T) -> T {
        read(&self.state.lock().router)
    }

    /// Returns the error for a call after its reply sender was dropped.
    pub(super) fn closed(&self, subtype: &str) -> ControlError {
        let ending = self.state.lock().queue.ended().cloned().unwrap_or_default();
        ControlError::Closed { subtype: subtype.into(), ending }
    }

    /// Records whether a read waits for output of a running peer. [`may_read`](Self::may_read) clears it too.
    pub(super) fn set_reading(&self, reading: bool) {
        let mut state = self.state.lock();
        // The time matters only after the input broke; before, any earlier time will do.
        let since = || if state.router.input_is_open() { self.started } else { Instant::now() };
        state.reading_since = reading.then(since);
    }

    /// Handles the end of the writing half.
    pub(super) fn input_finished(&self) {
        self.state.lock().input_finished = true;
        self.written.notify_waiters();
    }

    /// Fails open calls and senders after a broken input, without waiting for an end that names the cause.
    pub(super) fn fail_pending(&self) {
        self.with_router(Router::fail_pending);
        self.written.notify_waiters();
    }

    /// Handles the drop of the last handle.
    pub(super) fn abandon(&self) {
        self.state.lock().abandoned = true;
        self.abandoned.notify_waiters();
    }

    /// Handles the drop of the message reader.
    pub(super) fn abandon_messages(&self) {
        let unread = self.state.lock().queue.abandon();
        drop(unread);
        self.may_read.notify_waiters();
    }

    /// Ends the session.
    pub(super) fn end(&self, ending: SessionExit) {
        self.with_router(|router| router.handle_ending(ending));
        self.written.notify_waiters();
    }
}

impl State {
    /// Queues a line that the router does not show.
    pub(super) fn push_line(&mut self, line: Line) {
        let turn = Arc::clone(self.router.turn());
        self.queue.push(RawEvent::Incoming(Received::Frame(Frame::new(line)), turn));
    }

    /// Returns the bytes that count towards the hard limit.
    pub(super) fn unread_bytes(&self) -> usize {
        // A single request never stops reading, because its callback may need the reply to a call.
        let (_, callbacks) = self.router.open();
        let alone = callbacks <= 1;
        self.queue.unread_bytes()
            + if alone { self.router.answer_bytes() } else { self.router.inbound_bytes() }
    }

    /// Returns whether reading may go on: see [`Config`].
    pub(super) fn may_read(&self, config: &Config) -> bool {
        if self.backlog(config).is_some() {
            return false;
        }
        let (calls, callbacks) = self.router.open();
        // Hysteresis: reading resumes at half the limit, not after each message.
        let limit = config.unread_soft_limit / if self.reading_paused { 2 } else { 1 };
        self.has_responder || calls + callbacks + self.pauses > 0 || self.queue.unread_bytes() <= limit
    }

    /// Returns the unread bytes if they exceed the hard limit.
    pub(super) fn backlog(&self, config: &Config) -> Option<usize> {
        let limit = config.unread_hard_limit.max(config.unread_soft_limit);
        Some(self.unread_bytes()).filter(|unread| *unread > limit)
    }

    /// Returns the earliest deadline of a call or a sender.
    pub(super) fn next_deadline(&self) -> Option<Duration> {
        self.router.poll_timeout().into_iter().chain(self.room_deadline).min()
    }
}

agentwire_transport::debug_by_name!(Shared);

/// Ends the session when the driver is dropped early, polled or not.
pub(super) struct AbortOnDrop(pub(super) Arc<Shared>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.end(SessionExit::failed(if panicking() { PANICKED } else { ABORTED }));
    }
}

/// The reason for an end that this side caused.
pub(super) const ABORTED: &str = "the session was aborted";
/// The reason for an end by a panic, for example of a transport.
const PANICKED: &str = "the session was aborted by a panic";
