//! What the driver, the handles and the callbacks share: the router behind one lock, never held over an await.

use std::{
    collections::HashMap,
    convert::Infallible,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use agentwire_codec::{EncodeError, Line};
use agentwire_protocol::{InboundRequest, RawJson, RequestId};
use bytes::Bytes;
use tokio::{
    sync::{Notify, oneshot},
    time::Instant,
};

use super::{Settings, callbacks::Running, inbox::Inbox};
use crate::{ControlError, Delivery, Ending, Event, Router, Stale, handle::Started};

/// What the driver, the handles and the callbacks share.
pub(crate) struct Shared {
    settings: Settings,
    started: Instant,
    state: Mutex<State>,
    /// Something is to be written, or the input is to be ended.
    to_write: Notify,
    /// Something was written.
    written: Notify,
    /// There is something to read for the user.
    arrived: Notify,
    /// The user has read, or a request was opened: reading may go on.
    may_read: Notify,
    /// The next deadline may have changed.
    deadlines: Notify,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) router: Router,
    pub(super) inbox: Inbox,
    pub(super) callbacks: HashMap<RequestId, Running>,
    waiting: HashMap<RequestId, oneshot::Sender<Result<RawJson, ControlError>>>,
    input_ended: bool,
}

/// A request that came in and is to be answered.
pub(super) struct Asked {
    pub(super) id: RequestId,
    pub(super) request: InboundRequest,
    pub(super) line: Line,
}

impl Shared {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            started: Instant::now(),
            state: Mutex::default(),
            to_write: Notify::new(),
            written: Notify::new(),
            arrived: Notify::new(),
            may_read: Notify::new(),
            deadlines: Notify::new(),
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// A panic elsewhere leaves the state as consistent as each verb of the router leaves it.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something to the router, and passes on what came of it.
    pub(super) fn with_router<T>(&self, act: impl FnOnce(&mut Router) -> T) -> (T, Vec<Asked>) {
        let mut state = self.state();
        let result = act(&mut state.router);
        let asked = self.dispatch(&mut state);
        (result, asked)
    }

    /// Passes the router's events on.
    fn dispatch(&self, state: &mut State) -> Vec<Asked> {
        let mut asked = Vec::new();
        while let Some(event) = state.router.poll_event() {
            match event {
                Event::Incoming(incoming) => state.inbox.push(Delivery::Incoming(incoming)),
                Event::TurnEnded(end) => state.inbox.push(Delivery::TurnEnded(end)),
                Event::RunOver => state.inbox.push(Delivery::RunOver),
                Event::Inbound { id, request, line } => asked.push(Asked { id, request, line }),
                Event::InboundCancelled(id) => {
                    if let Some(running) = state.callbacks.remove(&id) {
                        running.cancel();
                    }
                }
                Event::Answered { id, reply } => {
                    if let Some(waiting) = state.waiting.remove(&id)
                        && waiting.send(reply).is_err()
                    {
                        tracing::debug!(%id, "a reply came after its call was dropped");
                    }
                }
                Event::Closed(ending) => state.inbox.end(ending),
            }
        }
        self.to_write.notify_one();
        self.arrived.notify_waiters();
        self.deadlines.notify_one();
        asked
    }

    /// Starts a call.
    pub(crate) fn start_call(&self, call: impl FnOnce(&mut Router, Duration) -> RequestId) -> Started {
        let (reply, receiver) = oneshot::channel();
        let mut state = self.state();
        let id = call(&mut state.router, self.now());
        state.waiting.insert(id.clone(), reply);
        self.dispatch(&mut state);
        self.may_read.notify_waiters();
        (id, receiver)
    }

    pub(crate) fn take_back(&self, id: &RequestId) {
        self.with_router(|router| router.cancel(id));
    }

    pub(super) fn answer(&self, id: &RequestId, reply: Result<RawJson, String>) -> Result<(), Stale> {
        let mut state = self.state();
        state.callbacks.remove(id);
        let answered = state.router.answer(id, reply);
        self.dispatch(&mut state);
        answered
    }

    /// Tells the user something that is no event of the router's.
    pub(super) fn deliver(&self, delivery: Delivery) {
        self.state().inbox.push(delivery);
        self.arrived.notify_waiters();
    }

    /// Sends something that has no reply.
    pub(crate) fn send(
        &self,
        what: &str,
        send: impl FnOnce(&mut Router) -> Result<(), EncodeError>,
    ) -> Result<(), ControlError> {
        let mut state = self.state();
        let subtype = what.into();
        if let Some(ending) = state.inbox.ended() {
            return Err(ControlError::Closed { subtype, ending: Arc::clone(ending) });
        }
        if state.input_ended {
            return Err(ControlError::InputEnded { subtype });
        }
        send(&mut state.router).map_err(|source| ControlError::Encode { subtype, source })?;
        self.dispatch(&mut state);
        Ok(())
    }

    pub(crate) fn end_input(&self) {
        let mut state = self.state();
        state.input_ended = true;
        state.router.end_input();
        self.to_write.notify_one();
        self.written.notify_waiters();
    }

    /// The error for a call whose session has ended without telling it.
    pub(crate) fn closed(&self, subtype: &str) -> ControlError {
        let ending = self.state().inbox.ended().cloned().unwrap_or_default();
        ControlError::Closed { subtype: subtype.into(), ending }
    }

    /// Waits until there is room for more to be written.
    pub(crate) async fn writable(&self) {
        wait(&self.written, || {
            let state = self.state();
            let room = state.router.transmit_bytes() <= self.settings.unwritten;
            (room || state.input_ended || state.inbox.ended().is_some()).then_some(())
        })
        .await;
    }

    /// Waits for the next line to write; `None` when the input is to be ended.
    pub(super) async fn next_line(&self) -> Option<Bytes> {
        let line = wait(&self.to_write, || {
            let mut state = self.state();
            match state.router.poll_transmit() {
                Some(line) => Some(Some(line)),
                None => state.input_ended.then_some(None),
            }
        })
        .await;
        self.written.notify_waiters();
        line
    }

    /// Waits for what the user may read: a batch, or the end.
    pub(crate) async fn next_batch(&self) -> Result<std::collections::VecDeque<Delivery>, Arc<Ending>> {
        wait(&self.arrived, || {
            let mut state = self.state();
            let batch = state.inbox.take();
            if batch.is_empty() { state.inbox.ended().cloned().map(Err) } else { Some(Ok(batch)) }
        })
        .await
    }

    /// The user has read something of this weight.
    pub(crate) fn read(&self, weight: usize) {
        self.state().inbox.read(weight);
        self.may_read.notify_waiters();
    }

    /// Waits until reading may go on: see [`Settings`].
    pub(super) async fn may_read(&self) {
        wait(&self.may_read, || {
            let mut state = self.state();
            let parked = state.inbox.parked();
            let (calls, callbacks) = state.router.open();
            if parked > self.settings.parked_open && calls > 0 {
                state.router.fail_calls(|subtype| ControlError::Backlogged { subtype, parked });
                self.dispatch(&mut state);
                return None;
            }
            let open = calls + callbacks > 0;
            let limit = if open { self.settings.parked_open } else { self.settings.parked_quiet };
            (parked <= limit).then_some(())
        })
        .await;
    }

    /// Gives requests up when their limit runs out. Never ends.
    pub(super) async fn keep_time(&self) -> Infallible {
        loop {
            let next = self.state().router.poll_timeout();
            let changed = self.deadlines.notified();
            match next {
                None => changed.await,
                Some(deadline) => tokio::select! {
                    () = tokio::time::sleep_until(self.started + deadline) => {
                        let now = self.now();
                        self.with_router(|router| router.handle_timeout(now));
                    }
                    () = changed => {}
                },
            }
        }
    }

    /// Nothing can be written any more.
    pub(super) fn write_failed(&self, why: &str) {
        let mut state = self.state();
        state.input_ended = true;
        state.router.end_input();
        while state.router.poll_transmit().is_some() {}
        let ending = Arc::new(Ending::failed(why));
        state.router.fail_calls(|subtype| ControlError::Closed { subtype, ending: Arc::clone(&ending) });
        self.dispatch(&mut state);
        self.written.notify_waiters();
    }

    /// The session has ended.
    pub(super) fn end(&self, ending: Ending) {
        let mut state = self.state();
        state.router.handle_ending(ending);
        self.dispatch(&mut state);
        for (_, running) in state.callbacks.drain() {
            running.cancel();
        }
        state.waiting.clear();
        self.written.notify_waiters();
    }
}

/// Waits until `ready` gives something; it is asked again after each notification.
async fn wait<T>(notify: &Notify, mut ready: impl FnMut() -> Option<T>) -> T {
    loop {
        let mut notified = std::pin::pin!(notify.notified());
        // Registered before asking, so that no notification falls between.
        notified.as_mut().enable();
        if let Some(ready) = ready() {
            return ready;
        }
        notified.await;
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

/// Ends the session when the driver is dropped before its end.
pub(super) struct GivenUp<'a>(pub(super) &'a Shared);

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        self.0.end(Ending::failed("the session was given up"));
    }
}
