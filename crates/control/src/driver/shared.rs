//! What the driver, the handles and the callbacks share: the router behind one lock, never held over an await.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use agentwire_codec::Line;
use agentwire_protocol::{InboundRequest, RawJson, RequestId, message::UserInput};
use bytes::Bytes;
use tokio::{
    sync::{Notify, oneshot},
    time::Instant,
};

use super::{Settings, callbacks::Running, inbox::Inbox};
use crate::{ControlError, Delivery, Ending, Event, Ignored, Observer, Router, Stale, handle::Started};

/// What the driver, the handles and the callbacks share.
pub(crate) struct Shared {
    pub(super) settings: Settings,
    pub(super) started: Instant,
    state: Mutex<State>,
    /// Who sees what arrives.
    observer: Option<Arc<dyn Observer>>,
    /// Something is to be written, or the input is to be ended.
    pub(super) to_write: Notify,
    /// Something was written, or nothing will be.
    pub(super) written: Notify,
    /// There is something to read for the user.
    pub(super) arrived: Notify,
    /// Something that held reading up may have changed.
    pub(super) may_read: Notify,
    /// The next deadline may have changed.
    pub(super) deadlines: Notify,
    /// The last handle was dropped.
    pub(super) abandoned: Notify,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) router: Router,
    pub(super) inbox: Inbox,
    pub(super) callbacks: HashMap<RequestId, Running>,
    /// Callbacks started so far.
    pub(super) started: u64,
    /// How many wait for room to send, or for news of a prompt.
    pub(super) waiters: usize,
    /// Since when a read waits for output of a peer that lives.
    pub(super) reading_since: Option<Instant>,
    /// Whether the writing half is done.
    pub(super) input_finished: bool,
    /// Whether no handle is left.
    pub(super) abandoned: bool,
    waiting: HashMap<RequestId, Waiting>,
}

/// Where a reply is waited for.
type Waiting = oneshot::Sender<Result<RawJson, ControlError>>;

/// A request that came in and is to be answered.
pub(crate) struct Asked {
    pub(super) id: RequestId,
    pub(super) request: InboundRequest,
    pub(super) line: Line,
}

impl Shared {
    pub(super) fn new(settings: Settings, observer: Option<Arc<dyn Observer>>) -> Self {
        Self {
            settings,
            started: Instant::now(),
            state: Mutex::default(),
            observer,
            to_write: Notify::new(),
            written: Notify::new(),
            arrived: Notify::new(),
            may_read: Notify::new(),
            deadlines: Notify::new(),
            abandoned: Notify::new(),
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// A panic elsewhere leaves the state as consistent as each verb of the router leaves it.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something to the router, and passes on what came of it.
    pub(crate) fn with_router<T>(&self, act: impl FnOnce(&mut Router) -> T) -> (T, Vec<Asked>) {
        self.apply(self.state(), |state| act(&mut state.router))
    }

    /// Has the observer act on what it has noted; called by whoever takes in frames.
    pub(super) fn settle_observer(&self) {
        if let Some(observer) = &self.observer {
            observer.settle();
        }
    }

    /// Tells the observer of a prompt.
    pub(crate) fn tell_observer(&self, prompt: &UserInput) {
        if let Some(observer) = &self.observer {
            observer.sending(prompt);
        }
    }

    /// Does something to the locked state, unlocks it, and passes on what came of it.
    pub(super) fn apply<T>(
        &self,
        mut state: MutexGuard<'_, State>,
        act: impl FnOnce(&mut State) -> T,
    ) -> (T, Vec<Asked>) {
        let (calls, _) = state.router.open();
        let result = act(&mut state);
        let Effects { told, asked, replies, cancelled, closed } =
            state.settle_events(self.observer.as_deref());
        let writes = state.router.has_to_write();
        // Only a call that begins or ends moves the next deadline.
        let deadline_moved = state.router.open().0 != calls;
        drop(state);
        // Outside the lock, since each may wake code of the caller's.
        for (id, waiting, reply) in replies {
            if waiting.send(reply).is_err() {
                tracing::debug!(%id, "a reply came after its call was dropped");
            }
        }
        cancelled.into_iter().for_each(Running::cancel);
        if let (Some(observer), Some(ending)) = (&self.observer, closed) {
            observer.ended(&ending);
        }
        // Whoever waits is woken only for what it waits for: the reader of messages often sleeps on a thread of its own,
        // which costs more to wake than a callback takes.
        if writes {
            self.to_write.notify_one();
        }
        if deadline_moved {
            self.deadlines.notify_one();
        }
        if told {
            self.arrived.notify_waiters();
        }
        self.may_read.notify_waiters();
        (result, asked)
    }

    /// Starts a call at once, so that its limit runs and reading goes on for it, whatever waits to be written before.
    pub(crate) fn start_call(&self, call: impl FnOnce(&mut Router) -> RequestId) -> Started {
        self.apply(self.state(), |state| state.start_call(call)).0
    }

    pub(crate) fn take_back(&self, id: &RequestId) {
        self.with_router(|router| router.cancel(id));
    }

    /// Answers for the callback with this number, unless its request was taken back; another one with the same id is
    /// not touched.
    pub(super) fn answer(
        &self,
        id: &RequestId,
        number: u64,
        reply: Result<RawJson, String>,
    ) -> Result<(), Stale> {
        let (answered, _) = self.apply(self.state(), |state| {
            if state.callbacks.get(id).is_none_or(|running| running.number != number) {
                return Err(Stale);
            }
            state.callbacks.remove(id);
            state.router.answer(id, reply)
        });
        answered
    }

    /// Tells the user something that is no event of the router's.
    pub(super) fn deliver(&self, delivery: Delivery) {
        self.state().inbox.push(delivery);
        self.arrived.notify_waiters();
    }

    pub(crate) fn end_input(&self) {
        self.with_router(Router::end_input);
        self.written.notify_waiters();
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
        let ending = self.state().inbox.ended().cloned().unwrap_or_default();
        ControlError::Closed { subtype: subtype.into(), ending }
    }

    /// Nothing can be written any more.
    pub(super) fn input_broken(&self, why: &str) {
        self.with_router(|router| router.handle_broken_input(Ending::failed(why)));
        self.written.notify_waiters();
    }

    pub(super) fn input_is_open(&self) -> bool {
        self.state().router.input_is_open()
    }

    pub(super) fn prompt_was_lost(&self) -> bool {
        self.state().router.prompt_was_lost()
    }

    /// A read waits for output of a peer that lives, or does so no more.
    pub(super) fn set_reading(&self, reading: bool) {
        self.state().reading_since = reading.then(Instant::now);
    }

    /// The writing half is done.
    pub(super) fn input_finished(&self) {
        self.state().input_finished = true;
        self.written.notify_waiters();
    }

    /// Gives up on an ending that says why the input is broken: open calls and senders are told what is known.
    pub(super) fn give_input_up(&self) {
        self.with_router(Router::give_input_up);
        self.written.notify_waiters();
    }

    /// The last handle was dropped.
    pub(crate) fn abandon(&self) {
        self.state().abandoned = true;
        self.abandoned.notify_waiters();
    }

    /// Nobody will read messages any more.
    pub(crate) fn abandon_messages(&self) {
        let unread = self.state().inbox.abandon();
        drop(unread);
        self.may_read.notify_waiters();
    }

    /// The session has ended.
    pub(super) fn end(&self, ending: Ending) {
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
        self.inbox.parked() + if alone { self.router.answer_bytes() } else { self.router.inbound_bytes() }
    }

    /// The same, where it is so much that nothing is read.
    pub(super) fn backlog(&self, settings: &Settings) -> Option<usize> {
        let most = settings.parked_open.max(settings.parked_quiet);
        Some(self.parked()).filter(|parked| *parked > most)
    }

    /// Starts a call: the reply goes to the receiver.
    fn start_call(&mut self, call: impl FnOnce(&mut Router) -> RequestId) -> Started {
        let (waiting, reply) = oneshot::channel();
        let id = call(&mut self.router);
        self.waiting.insert(id.clone(), waiting);
        (id, reply)
    }

    pub(super) fn next_line(&mut self) -> Option<Bytes> {
        self.router.poll_transmit()
    }

    /// Takes in the router's events, and gives what is to be done without the lock.
    fn settle_events(&mut self, observer: Option<&dyn Observer>) -> Effects {
        let mut effects = Effects::default();
        let deliver = |inbox: &mut Inbox, delivery| {
            if let Some(observer) = observer {
                observer.arrived(&delivery);
            }
            inbox.push(delivery);
        };
        while let Some(event) = self.router.poll_event() {
            effects.told |=
                matches!(event, Event::Incoming(_) | Event::TurnEnded(_) | Event::RunOver | Event::Closed(_));
            match event {
                Event::Incoming(incoming) => deliver(&mut self.inbox, Delivery::Incoming(incoming)),
                Event::TurnEnded(end) => deliver(&mut self.inbox, Delivery::TurnEnded(end)),
                Event::RunOver => deliver(&mut self.inbox, Delivery::RunOver),
                Event::Inbound { id, request, line } => effects.asked.push(Asked { id, request, line }),
                Event::InboundCancelled(id) => effects.cancelled.extend(self.callbacks.remove(&id)),
                Event::Answered { id, reply } => {
                    let waiting = self.waiting.remove(&id);
                    effects.replies.extend(waiting.map(|waiting| (id, waiting, reply)));
                }
                Event::Closed(ending) => {
                    effects.closed = Some(Arc::clone(&ending));
                    self.inbox.end(ending);
                }
            }
        }
        effects
    }
}

/// What is to be done once the lock is released.
#[derive(Default)]
struct Effects {
    /// There is something for who reads, and perhaps news of a prompt.
    told: bool,
    asked: Vec<Asked>,
    replies: Vec<(RequestId, Waiting, Result<RawJson, ControlError>)>,
    cancelled: Vec<Running>,
    closed: Option<Arc<Ending>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

/// Ends the session when the driver is dropped before its end, polled or not.
pub(super) struct GivenUp(pub(super) Arc<Shared>);

impl Drop for GivenUp {
    fn drop(&mut self) {
        self.0.end(Ending::failed(GIVEN_UP));
    }
}

/// What the ending says when it was ours.
pub(super) const GIVEN_UP: &str = "the session was given up";
