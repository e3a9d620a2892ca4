//! The time limit after a result: by then the CLI must be idle or have begun another turn.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use agentwire_control::SessionEvent;
use agentwire_protocol::{Message, System, message::SessionState};
use tokio::time::{Instant, Sleep};

use crate::session::{BackgroundWork, CallbackMark};

/// A timer that runs from a result until a turn begins or the run is over.
#[derive(Debug, Default)]
pub(super) struct IdleTimeout(Option<(Pin<Box<Sleep>>, CallbackMark)>);

impl IdleTimeout {
    /// Starts at a result, restarts when the CLI reports that it still works, and stops when a turn begins.
    pub(super) fn update(&mut self, event: &SessionEvent, background: &BackgroundWork) {
        let SessionEvent::Incoming(incoming, turn) = event else { return };
        match incoming.message() {
            _ if turn.end.is_some() => self.set(background),
            _ if turn.has_begun => self.0 = None,
            Some(Message::System(System::SessionStateChanged(changed)))
                if changed.state != SessionState::Idle =>
            {
                self.restart(background);
            }
            _ => {}
        }
    }

    /// Restarts the timer if it runs.
    pub(super) fn restart(&mut self, background: &BackgroundWork) {
        if self.0.is_some() {
            self.set(background);
        }
    }

    /// Polls the timer. Time in which a callback ran does not count.
    pub(super) fn poll(&mut self, background: &BackgroundWork, context: &mut Context<'_>) -> Poll<()> {
        while let Some((sleep, mark)) = &mut self.0 {
            if sleep.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            let Some(limit) = background.limit().filter(|_| background.was_busy_since(*mark)) else {
                self.0 = None;
                return Poll::Ready(());
            };
            *mark = background.mark();
            sleep.as_mut().reset(Instant::now() + limit);
        }
        Poll::Pending
    }

    fn set(&mut self, background: &BackgroundWork) {
        self.0 = background.timer().map(|timer| (timer, background.mark()));
    }
}
