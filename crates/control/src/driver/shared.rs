//! What the driver, the handles and the callbacks share: the router behind one lock, never held over an await.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use agentwire_codec::Line;
use agentwire_protocol::{InboundRequest, RawJson, RequestId, message::UserInput};
use bytes::Bytes;
use tokio::{
    sync::{Notify, oneshot},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::{
    Config,
    arrival::Arrival,
    callbacks::Running,
    effects::Effects,
    queue::{MessageQueue, Parcel, Parcels},
};
use crate::{
    ControlError, Delivery, Ignored, Observer, RequestClosed, Responder, Router, SessionEnd, handle::Started,
};

/// What the driver, the handles and the callbacks share.
pub(crate) struct Shared {
    pub(super) config: Config,
    pub(super) started: Instant,
    state: Mutex<State>,
    /// Whether the CLI would go ahead where it should ask us.
    pub(super) guarded: bool,
    /// Who sees what arrives.
    pub(super) observer: Option<Arc<dyn Observer>>,
    /// Whether the CLI names prompts: asked for with each message that is read, and so not behind the lock.
    pub(super) names_prompts: AtomicBool,
    /// Something was written, or nothing will be.
    pub(super) written: Notify,
    /// There is news, perhaps of a prompt.
    pub(super) arrived: Notify,
    /// Something that held reading up may have changed.
    pub(super) may_read: Notify,
    /// The next deadline may have changed.
    pub(super) deadlines: Notify,
    /// Something happened while the input waits for the CLI to be idle.
    pub(super) quiet: Notify,
    /// The last handle was dropped.
    pub(super) abandoned: Notify,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) router: Router,
    pub(super) queue: MessageQueue,
    pub(super) callbacks: HashMap<RequestId, Running>,
    /// The writing half, while it waits for something to write, or for the input to be ended.
    pub(super) writer: Option<Waker>,
    /// Callbacks started so far.
    pub(super) started: u64,
    /// How many wait for room to send, or for news of a prompt.
    pub(super) waiters: usize,
    /// When the limit of a sender that waits for room runs out, the first of them. It may be gone by then.
    pub(super) room_deadline: Option<Duration>,
    /// Whether a responder may answer requests, which may lie behind any number of unread messages.
    answers: bool,
    /// Whether reading waits for the user.
    pub(super) held_up: bool,
    /// Since when a read waits for output of a peer that lives; some time before, where that was before the input broke.
    pub(super) reading_since: Option<Instant>,
    /// Whether the writing half is done.
    pub(super) input_finished: bool,
    /// Whether no handle is left.
    pub(super) abandoned: bool,
    pub(super) waiting: HashMap<RequestId, Waiting>,
}

/// Where a reply is waited for.
pub(super) type Waiting = oneshot::Sender<Result<RawJson, ControlError>>;

/// A request that came in and is to be answered.
pub(crate) struct Asked {
    pub(super) id: RequestId,
    /// The number of its callback.
    pub(super) number: u64,
    /// What tells the callback that its answer is no longer waited for; `None` where no answer can be sent.
    pub(super) cancelled: Option<CancellationToken>,
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
            state: Mutex::new(State { answers: responder.may_answer_any(), ..State::default() }),
            observer,
            names_prompts: AtomicBool::new(false),
            written: Notify::new(),
            arrived: Notify::new(),
            may_read: Notify::new(),
            deadlines: Notify::new(),
            quiet: Notify::new(),
            abandoned: Notify::new(),
        }
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// A panic elsewhere leaves the state as consistent as each verb of the router leaves it.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something to the router, and passes on what came of it.
    pub(crate) fn with_router<T>(&self, act: impl FnOnce(&mut Router) -> T) -> T {
        self.apply(self.state(), |state| act(&mut state.router))
    }

    /// Has the observer act on what it has noted; called by whoever takes in frames.
    pub(super) fn settle_observer(&self) {
        if let Some(observer) = &self.observer {
            observer.settle();
        }
    }

    pub(super) fn observer(&self) -> Option<&dyn Observer> {
        self.observer.as_deref()
    }

    /// Tells the observer of a prompt.
    pub(crate) fn tell_observer(&self, prompt: &UserInput) {
        if let Some(observer) = &self.observer {
            observer.sending(prompt);
        }
    }

    /// Does something to the locked state, unlocks it, and passes on what came of it.
    pub(super) fn apply<T>(&self, mut state: MutexGuard<'_, State>, act: impl FnOnce(&mut State) -> T) -> T {
        let (calls, _) = state.router.open();
        let result = act(&mut state);
        let mut effects = Effects::default();
        state.settle_events(self.observer(), None, &mut effects);
        // Nothing is asked but by what arrives.
        let _nothing = self.pass_on(state, effects, calls);
        result
    }

    /// Takes in what arrived, in its order, and passes on what came of it, but for what was asked.
    pub(super) fn arrive(&self, arrivals: impl Iterator<Item = Arrival>) -> Vec<Asked> {
        let mut state = self.state();
        let (calls, _) = state.router.open();
        let mut effects = Effects::default();
        arrivals.for_each(|arrival| state.take_in(arrival, self.observer(), &mut effects));
        self.pass_on(state, effects, calls)
    }

    /// Starts a call at once, so that its limit runs and reading goes on for it, whatever waits to be written before.
    pub(crate) fn start_call(&self, call: impl FnOnce(&mut Router) -> RequestId) -> Started {
        self.apply(self.state(), |state| state.start_call(call))
    }

    pub(crate) fn cancel(&self, id: &RequestId) {
        self.with_router(|router| router.cancel(id));
    }

    /// Answers for the callback with this number, unless its request was cancelled; another one with the same id is
    /// not touched.
    pub(super) fn answer(
        &self,
        id: &RequestId,
        number: u64,
        reply: Result<RawJson, String>,
    ) -> Result<(), RequestClosed> {
        self.apply(self.state(), |state| match state.callbacks.remove(id) {
            Some(running) if running.number == number => state.router.answer(id, reply),
            Some(other) => {
                state.callbacks.insert(id.clone(), other);
                Err(RequestClosed)
            }
            None => Err(RequestClosed),
        })
    }

    /// Tells the user something that is no event of the router's.
    pub(super) fn deliver(&self, delivery: Delivery) {
        let mut state = self.state();
        state.queue.push(Parcel::Delivery(delivery));
        let reader = state.queue.take_reader();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// What the user may read: all that is there, into `batch`, which is empty; or the end.
    ///
    /// `read` is the weight of what was read since this was last told.
    pub(crate) fn poll_batch(
        &self,
        read: usize,
        batch: &mut Parcels,
        context: &Context<'_>,
    ) -> Poll<Result<(), Arc<SessionEnd>>> {
        let mut state = self.state();
        state.queue.read(read);
        let polled = state.queue.poll(batch, context);
        self.let_read(state);
        polled
    }

    pub(crate) fn names_prompts(&self) -> bool {
        self.names_prompts.load(Ordering::Relaxed)
    }

    /// Looks at the router.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Router) -> T) -> T {
        look(&self.state().router)
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.look(Router::is_idle)
    }

    pub(crate) fn ignored(&self) -> Ignored {
        self.state().router.ignored()
    }

    /// The error for a call whose session has ended without telling it.
    pub(crate) fn closed(&self, subtype: &str) -> ControlError {
        let ending = self.state().queue.ended().cloned().unwrap_or_default();
        ControlError::Closed { subtype: subtype.into(), ending }
    }

    pub(super) fn prompt_was_lost(&self) -> bool {
        self.state().router.prompt_was_lost()
    }

    /// A read waits for output of a peer that lives, or does so no more; as it does where [`may_read`](Self::may_read) is asked.
    pub(super) fn set_reading(&self, reading: bool) {
        let mut state = self.state();
        // The time matters only once the input is broken: to a read that waits since before it is enough that it does.
        let since = || if state.router.input_is_open() { self.started } else { Instant::now() };
        state.reading_since = reading.then(since);
    }

    /// The writing half is done.
    pub(super) fn input_finished(&self) {
        self.state().input_finished = true;
        self.written.notify_waiters();
    }

    /// Gives up on an ending that says why the input is broken: open calls and senders are told what is known.
    pub(super) fn fail_pending(&self) {
        self.with_router(Router::fail_pending);
        self.written.notify_waiters();
    }

    /// The last handle was dropped.
    pub(crate) fn abandon(&self) {
        self.state().abandoned = true;
        self.abandoned.notify_waiters();
    }

    /// Nobody will read messages any more.
    pub(crate) fn abandon_messages(&self) {
        let unread = self.state().queue.abandon();
        drop(unread);
        self.may_read.notify_waiters();
    }

    /// The session has ended.
    pub(super) fn end(&self, ending: SessionEnd) {
        self.with_router(|router| router.handle_ending(ending));
        self.written.notify_waiters();
    }
}

impl State {
    /// The bytes that count towards the limits of what is unread.
    pub(super) fn parked(&self) -> usize {
        // One request alone never stops reading, however large, since its answer may need a reply to a call.
        let (_, callbacks) = self.router.open();
        let alone = callbacks <= 1;
        self.queue.parked() + if alone { self.router.answer_bytes() } else { self.router.inbound_bytes() }
    }

    /// Whether the peer is read from: see [`Config`].
    pub(super) fn may_read(&self, config: &Config) -> bool {
        if self.backlog(config).is_some() {
            return false;
        }
        let (calls, callbacks) = self.router.open();
        // Once it has stopped it goes on for longer than one message.
        let most = config.unread_soft_limit / if self.held_up { 2 } else { 1 };
        self.answers || calls + callbacks + self.waiters > 0 || self.queue.parked() <= most
    }

    /// The bytes that are unread, where that is so much that nothing is read.
    pub(super) fn backlog(&self, config: &Config) -> Option<usize> {
        let most = config.unread_hard_limit.max(config.unread_soft_limit);
        Some(self.parked()).filter(|parked| *parked > most)
    }

    /// When the next limit of a call or of a sender runs out.
    pub(super) fn next_deadline(&self) -> Option<Duration> {
        self.router.poll_timeout().into_iter().chain(self.room_deadline).min()
    }

    /// Starts a call: the reply goes to the receiver.
    fn start_call(&mut self, call: impl FnOnce(&mut Router) -> RequestId) -> Started {
        let (waiting, reply) = oneshot::channel();
        let id = call(&mut self.router);
        self.waiting.insert(id.clone(), waiting);
        (id, reply)
    }

    /// What is to be written next: a line, or some.
    pub(super) fn next_lines(&mut self) -> Option<Bytes> {
        self.router.poll_write()
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

/// Ends the session when the driver is dropped before its end, polled or not.
pub(super) struct AbortOnDrop(pub(super) Arc<Shared>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.end(SessionEnd::failed(ABORTED));
    }
}

/// What the ending says when it was ours.
pub(super) const ABORTED: &str = "the session was given up";
