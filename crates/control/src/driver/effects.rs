//! The effects of router events: some apply under the session's lock, the others after it is released.

use std::sync::{Arc, MutexGuard};

use agentwire_codec::Line;
use agentwire_protocol::{InboundRequest, RawJson, RequestId};
use tokio_util::sync::CancellationToken;

use super::{
    Shared,
    callbacks::RunningCallback,
    shared::{PendingCallback, ReplySender, State},
};
use crate::{ControlError, RefusalFn, Responder, RouterEvent, SessionExit, panics::catch_call};

/// The effects that wait for the release of the lock.
#[derive(Default)]
pub(super) struct Effects {
    /// Whether an event was queued for the reader.
    queued: bool,
    /// Callbacks to start, in the order of their requests.
    pub(super) callbacks: Vec<PendingCallback>,
    replies: Vec<(RequestId, ReplySender, Result<RawJson, ControlError>)>,
    cancelled: Vec<RunningCallback>,
    closed: Option<Arc<SessionExit>>,
}

impl State {
    /// Drains the router's events. `responder` is `Some` if frames were handled, since only those contain requests.
    pub(super) fn drain_events(
        &mut self,
        shared: &Shared,
        responder: Option<&dyn Responder>,
        effects: &mut Effects,
    ) {
        while let Some(event) = self.router.poll_event() {
            match event {
                RouterEvent::Session(event) => {
                    effects.queued = true;
                    shared.observe(|observer| observer.arrived(&event));
                    self.queue.push(event);
                }
                RouterEvent::Inbound { id, request, line } => {
                    let refusal = responder.and_then(|responder| refusal(responder, &request));
                    if self.router.input_is_open() && !self.router.is_ending() {
                        effects.callbacks.push(self.enter(id, request, line, refusal));
                    } else if self.router.answer(&id, refuse(refusal, ENDING)).is_err() {
                        // The input is closed, so no handler may act on the request. The reader gets it.
                        effects.queued = true;
                        self.push_line(line);
                    }
                }
                RouterEvent::InboundCancelled(id) => effects.cancelled.extend(self.callbacks.remove(&id)),
                RouterEvent::Answered { id, reply } => {
                    let sender = self.calls.remove(&id);
                    effects.replies.extend(sender.map(|sender| (id, sender, reply)));
                }
                RouterEvent::Closed(ending) => {
                    effects.queued = true;
                    effects.closed = Some(Arc::clone(&ending));
                    self.queue.end(ending);
                }
            }
        }
    }

    /// Registers the callback of a request, before a later frame can cancel it.
    fn enter(
        &mut self,
        id: RequestId,
        request: InboundRequest,
        line: Line,
        refusal: Option<RefusalFn>,
    ) -> PendingCallback {
        self.last_callback += 1;
        let number = self.last_callback;
        let cancelled = CancellationToken::new();
        self.callbacks.insert(id.clone(), RunningCallback { number, cancelled: cancelled.clone(), refusal });
        PendingCallback { id, number, cancelled, request, line }
    }

    /// Writes the queued lines on this thread, while the writing half waits: to wake it, often on another thread, costs
    /// more. Returns whether the writing half can go on waiting.
    fn write_queued(&mut self) -> bool {
        let Some(write) = self.direct_write.as_ref().filter(|_| self.writer.is_some()) else { return false };
        while !self.half_written
            && let Some(line) = self.router.poll_transmit()
        {
            self.half_written = !write(line);
        }
        !self.half_written && self.router.input_is_open()
    }

    /// Refuses every open request and cancels its callback, because the end of the input allows no later answer.
    pub(super) fn refuse_open(&mut self) {
        let Self { router, callbacks, .. } = self;
        router.refuse_open(|id| refuse(callbacks.get(id).and_then(|running| running.refusal), ENDING));
    }
}

impl Shared {
    /// Releases the lock and applies `effects`, except for the callbacks to start. `calls` is the number of calls before.
    pub(super) fn apply_effects(&self, mut state: MutexGuard<'_, State>, effects: Effects, calls: usize) {
        let Effects { queued, callbacks: _, replies, cancelled, closed } = effects;
        let writes = state.router.can_transmit() || !state.router.input_is_open();
        let writer = if writes && !state.write_queued() { state.writer.take() } else { None };
        let calls_changed = state.router.open().0 != calls;
        let reader = if queued { state.queue.take_reader() } else { None };
        let (reading_paused, is_ending) = (state.reading_paused, state.router.is_ending());
        // No lost wake-up: a task checks its condition and increments `pauses` under one lock.
        let may_have_waiters = state.pauses > 0;
        drop(state);
        // After the release of the lock, since each wake-up may run code of the caller.
        for (id, sender, reply) in replies {
            if sender.send(reply).is_err() {
                tracing::debug!(%id, "a reply came after its call was dropped");
            }
        }
        // The task of each callback ends within the grace period.
        cancelled.into_iter().for_each(|callback| callback.cancelled.cancel());
        if let Some(ending) = closed {
            self.observe(|observer| observer.ended(&ending));
        }
        // Each task is woken only for its own events: waking the reader, often on another thread, costs more than a callback.
        if let Some(writer) = writer {
            writer.wake();
        }
        // Only the start or the end of a call moves the next deadline.
        if calls_changed {
            self.deadlines.notify_one();
        }
        if let Some(reader) = reader {
            reader.wake();
        }
        if queued && may_have_waiters {
            self.prompt_changed.notify_waiters();
        }
        // A call that ends before it is written makes room.
        if (writes || calls_changed) && may_have_waiters {
            self.written.notify_waiters();
        }
        if reading_paused {
            self.may_read.notify_waiters();
        }
        if is_ending {
            self.quiet.notify_waiters();
        }
    }
}

/// Returns how the responder refuses the request, or `None` if it panics.
fn refusal(responder: &dyn Responder, request: &InboundRequest) -> Option<RefusalFn> {
    catch_call(|| responder.refusal(request)).unwrap_or_default()
}

/// Returns the answer that refuses a request.
pub(super) fn refuse(refusal: Option<RefusalFn>, why: &str) -> Result<RawJson, String> {
    refusal.and_then(|refusal| catch_call(|| refusal(why)).unwrap_or_default()).ok_or_else(|| why.to_owned())
}

/// The reason for a refusal at the end of a session.
const ENDING: &str = "the session is ending";
