//! What comes of the router's events: some under the session's lock, the rest once it is released.

use std::sync::{Arc, MutexGuard, atomic::Ordering};

use agentwire_codec::Line;
use agentwire_protocol::{InboundRequest, RawJson, RequestId};
use tokio_util::sync::CancellationToken;

use super::{
    Shared,
    callbacks::Running,
    queue::{MessageQueue, Parcel},
    shared::{Asked, State, Waiting},
};
use crate::{ControlError, Delivery, Event, Observer, Refusal, SessionEnd};

/// What is to be done once the lock is released.
#[derive(Default)]
pub(super) struct Effects {
    /// There is something for who reads, and perhaps news of a prompt.
    pub(super) told: bool,
    /// Requests that came, in their order: nothing else is taken in before they are started.
    asked: Vec<Asked>,
    replies: Vec<(RequestId, Waiting, Result<RawJson, ControlError>)>,
    cancelled: Vec<Running>,
    closed: Option<Arc<SessionEnd>>,
}

impl State {
    /// Takes in the router's events, and adds what is to be done without the lock.
    ///
    /// `refusal` is that of the request that arrived, where one did.
    pub(super) fn settle_events(
        &mut self,
        observer: Option<&dyn Observer>,
        refusal: Option<Refusal>,
        effects: &mut Effects,
    ) {
        let deliver = |queue: &mut MessageQueue, delivery| {
            if let Some(observer) = observer {
                observer.arrived(&delivery);
            }
            queue.push(Parcel::Delivery(delivery));
        };
        while let Some(event) = self.router.poll_event() {
            effects.told |=
                matches!(event, Event::Incoming(_) | Event::TurnEnded(_) | Event::RunOver | Event::Closed(_));
            match event {
                Event::Incoming(incoming) => deliver(&mut self.queue, Delivery::Incoming(incoming)),
                Event::TurnEnded(end) => deliver(&mut self.queue, Delivery::TurnEnded(end)),
                Event::RunOver => deliver(&mut self.queue, Delivery::RunOver),
                Event::Inbound { id, .. } if self.router.is_ending() => self.refuse(&id, refusal),
                Event::Inbound { id, request, line } => {
                    effects.asked.push(self.enter(id, request, line, refusal));
                }
                Event::InboundCancelled(id) => effects.cancelled.extend(self.callbacks.remove(&id)),
                Event::Answered { id, reply } => {
                    let waiting = self.waiting.remove(&id);
                    effects.replies.extend(waiting.map(|waiting| (id, waiting, reply)));
                }
                Event::Closed(ending) => {
                    effects.closed = Some(Arc::clone(&ending));
                    self.queue.end(ending);
                }
            }
        }
    }
}

impl State {
    /// Enters the callback of a request, before another one's turn comes; none where no answer can be sent.
    fn enter(
        &mut self,
        id: RequestId,
        request: InboundRequest,
        line: Line,
        refusal: Option<Refusal>,
    ) -> Asked {
        self.started += 1;
        let number = self.started;
        let cancelled = self.router.input_is_open().then(CancellationToken::new);
        if let Some(cancelled) = &cancelled {
            self.callbacks.insert(id.clone(), Running { number, cancelled: cancelled.clone(), refusal });
        }
        Asked { id, number, cancelled, request, line }
    }

    /// Refuses a request that came after the end was asked for.
    fn refuse(&mut self, id: &RequestId, refusal: Option<Refusal>) {
        // It is open: it was just entered.
        let _ = self.router.answer(id, refused(refusal));
    }

    /// Refuses every open request and cancels its callback: no answer can be sent once the input has ended.
    pub(super) fn refuse_open(&mut self) {
        let Self { router, callbacks, .. } = self;
        router.refuse_open(|id| refused(callbacks.get(id).and_then(|running| running.refusal)));
    }
}

impl Shared {
    /// Unlocks the state, and passes on what came of what was done to it, when so many calls were open before.
    pub(super) fn pass_on(
        &self,
        mut state: MutexGuard<'_, State>,
        effects: Effects,
        calls: usize,
    ) -> Vec<Asked> {
        let Effects { told, asked, replies, cancelled, closed } = effects;
        let writer = if state.router.has_to_write() { state.writer.take() } else { None };
        // Only a call that begins or ends moves the next deadline.
        let deadline_moved = state.router.open().0 != calls;
        let reader = if told { state.queue.take_reader() } else { None };
        let (held_up, is_ending) = (state.held_up, state.router.is_ending());
        // Whoever begins to wait for news of a prompt has looked under the lock.
        let news = told && state.waiters > 0;
        if told && state.router.names_prompts() {
            self.names_prompts.store(true, Ordering::Relaxed);
        }
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
        if let Some(writer) = writer {
            writer.wake();
        }
        if deadline_moved {
            self.deadlines.notify_one();
        }
        if let Some(reader) = reader {
            reader.wake();
        }
        if news {
            self.arrived.notify_waiters();
        }
        if held_up {
            self.may_read.notify_waiters();
        }
        if is_ending {
            self.quiet.notify_waiters();
        }
        asked
    }
}

/// The answer that refuses a request.
fn refused(refusal: Option<Refusal>) -> Result<RawJson, String> {
    refusal.and_then(|refusal| refusal(ENDING)).ok_or_else(|| ENDING.to_owned())
}

/// The reason of a refusal at the end of a session.
const ENDING: &str = "the session is ending";
