//! The queue of events that the user has not read, counted in bytes.

use std::{
    collections::VecDeque,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use crate::{RawEvent, SessionExit};

/// The queue of events that the user has not read.
///
/// Stream events and user messages, the bulk of a session, are queued undecoded: decoded, they would take more than twice
/// the memory, which one thread would allocate and another one free.
#[derive(Debug, Default)]
pub(super) struct MessageQueue {
    events: VecDeque<RawEvent>,
    /// The weight of unread events: those in `events`, and those in the batch that the reader took.
    unread_bytes: usize,
    ended: Option<Arc<SessionExit>>,
    /// Whether the reader was dropped. Nothing is queued any more.
    abandoned: bool,
    /// The reader, while it waits for an event.
    reader: Option<Waker>,
}

impl RawEvent {
    /// Returns what the event counts towards the limits of unread messages, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.len() + size_of::<Self>()
    }
}

impl MessageQueue {
    pub(super) fn push(&mut self, event: RawEvent) {
        if self.abandoned {
            return;
        }
        self.unread_bytes += event.weight();
        self.events.push_back(event);
    }

    /// Moves all events into the empty `batch`, or returns the end of the session, or registers the reader.
    pub(super) fn poll(
        &mut self,
        batch: &mut VecDeque<RawEvent>,
        context: &Context<'_>,
    ) -> Poll<Result<(), Arc<SessionExit>>> {
        if !self.events.is_empty() {
            std::mem::swap(&mut self.events, batch);
            return Poll::Ready(Ok(()));
        }
        if let Some(ending) = &self.ended {
            return Poll::Ready(Err(Arc::clone(ending)));
        }
        // An idle session holds no memory.
        for events in [batch, &mut self.events] {
            events.shrink_to(IDLE_CAPACITY);
        }
        self.reader = Some(context.waker().clone());
        Poll::Pending
    }

    /// Takes the waker of a waiting reader.
    pub(super) fn take_reader(&mut self) -> Option<Waker> {
        self.reader.take()
    }

    /// Releases `weight` bytes of unread events.
    pub(super) fn release(&mut self, weight: usize) {
        self.unread_bytes = self.unread_bytes.saturating_sub(weight);
    }

    /// Handles the drop of the reader: nothing is queued from now on. Returns the unread events.
    pub(super) fn abandon(&mut self) -> VecDeque<RawEvent> {
        self.abandoned = true;
        self.unread_bytes = 0;
        std::mem::take(&mut self.events)
    }

    pub(super) fn unread_bytes(&self) -> usize {
        self.unread_bytes
    }

    pub(super) fn end(&mut self, ending: Arc<SessionExit>) {
        self.ended.get_or_insert(ending);
    }

    pub(super) fn ended(&self) -> Option<&Arc<SessionExit>> {
        self.ended.as_ref()
    }
}

/// The capacity that an empty queue keeps, in events.
const IDLE_CAPACITY: usize = 4;
