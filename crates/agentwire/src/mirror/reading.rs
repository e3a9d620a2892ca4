//! The reader's side: mirror failures appear between the messages, and results wait for the store.

use std::{
    sync::Arc,
    task::{Context, Poll, ready},
};

use agentwire_codec::{FrameError, FrameKind, Incoming};
use agentwire_control::{BackpressurePause, Messages, SessionEvent, SessionExit};

use super::{Mirror, mirror_error::MirrorError};

/// An event that waits until all earlier entries are stored.
pub(super) struct PendingMessage {
    what: Result<SessionEvent, Arc<SessionExit>>,
    /// Lets requests of the CLI still arrive meanwhile.
    _reading: BackpressurePause,
}

impl Mirror {
    /// Polls for the next event: see [`Messages::poll_next`].
    ///
    /// An event that is held back is stored in `self`, so that nothing is lost between two polls.
    pub(crate) fn poll_next(
        &mut self,
        messages: &mut Messages,
        context: &mut Context<'_>,
    ) -> Poll<Result<SessionEvent, Arc<SessionExit>>> {
        loop {
            match self.queue.poll(context) {
                Poll::Ready(Some(error)) => {
                    let turn = Arc::clone(&self.turn);
                    return Poll::Ready(Ok(SessionEvent::Incoming(error.incoming(), turn)));
                }
                Poll::Ready(None) => {
                    if let Some(pending) = self.pending.take() {
                        return Poll::Ready(self.reached(pending.what));
                    }
                }
                Poll::Pending if self.pending.is_some() => return Poll::Pending,
                Poll::Pending => {}
            }
            let what = ready!(messages.poll_next(context)).map(replace_lost_frame);
            let at_end = what.is_err();
            let is_result = matches!(&what, Ok(SessionEvent::Incoming(incoming, _)) if incoming.ends_turn());
            if !at_end && (self.skips_flush || !is_result) {
                return Poll::Ready(self.reached(what));
            }
            self.queue.set_barrier(at_end);
            self.pending = Some(PendingMessage { what, _reading: messages.pause_backpressure() });
        }
    }

    /// Records the turn of what the reader gets next.
    fn reached(
        &mut self,
        what: Result<SessionEvent, Arc<SessionExit>>,
    ) -> Result<SessionEvent, Arc<SessionExit>> {
        if let Ok(SessionEvent::Incoming(_, turn)) = &what {
            self.turn = turn.next();
        }
        what
    }
}

/// Replaces a mirror frame that was too long to read by a `mirror_error`; returns other events unchanged.
fn replace_lost_frame(event: SessionEvent) -> SessionEvent {
    let SessionEvent::Incoming(Incoming::TooLong(fault), turn) = &event else { return event };
    let Some(why) = too_long(fault) else { return event };
    tracing::warn!("session store: {why}");
    SessionEvent::Incoming(MirrorError { key: None, entries: 0, why }.incoming(), Arc::clone(turn))
}

/// Describes a mirror frame that was too long to read; `None` for other lines.
pub(super) fn too_long(fault: &FrameError) -> Option<String> {
    match fault {
        FrameError::TooLong { limit, kind: FrameKind::TranscriptMirror, .. } => {
            Some(format!("a frame of the mirror is longer than {limit} bytes (maxBufferSize), and was lost"))
        }
        _ => None,
    }
}
