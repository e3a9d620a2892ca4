//! The time limit after a result: by then the CLI must be idle or have begun another turn.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use agentwire_control::SessionEvent;
use agentwire_protocol::{Message, System, message::SessionState};
use tokio::time::{Instant, Sleep, sleep};

use crate::session::{ActivityMark, BackgroundWork};

/// A timer that runs from a result until a turn begins or the run is over.
#[derive(Debug, Default)]
pub(super) struct IdleTimeout(Option<(Pin<Box<Sleep>>, ActivityMark)>);

impl IdleTimeout {
    /// Starts at a result, restarts when the CLI reports that it still works, and stops when a turn begins.
    pub(super) fn see(&mut self, delivery: &SessionEvent, background: &BackgroundWork) {
        match delivery {
            SessionEvent::TurnEnded(_) => self.set(background),
            SessionEvent::Incoming(incoming) => match incoming.message() {
                Some(message) if is_of_a_turn(message) => self.lift(),
                Some(Message::System(System::SessionStateChanged(changed)))
                    if self.0.is_some() && changed.state != SessionState::Idle =>
                {
                    self.set(background);
                }
                _ => {}
            },
            _ => {}
        }
    }

    pub(super) fn lift(&mut self) {
        self.0 = None;
    }

    /// Polls the timer. Time in which a callback ran does not count.
    pub(super) fn poll(&mut self, background: &BackgroundWork, context: &mut Context<'_>) -> Poll<()> {
        while let Some((sleep, mark)) = &mut self.0 {
            if sleep.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            let Some(limit) = background.limit().filter(|_| background.was_busy_since(*mark)) else {
                self.lift();
                return Poll::Ready(());
            };
            *mark = background.mark();
            sleep.as_mut().reset(Instant::now() + limit);
        }
        Poll::Pending
    }

    fn set(&mut self, background: &BackgroundWork) {
        self.0 = background.limit().map(|limit| (Box::pin(sleep(limit)), background.mark()));
    }
}

/// Returns whether the message belongs to a turn with a result; messages of background agents do not.
fn is_of_a_turn(message: &Message) -> bool {
    match message {
        Message::System(System::Init(_)) => true,
        Message::Assistant(message) => message.parent_tool_use_id.is_none(),
        Message::StreamEvent(message) => message.parent_tool_use_id.is_none(),
        _ => false,
    }
}
