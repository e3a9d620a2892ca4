//! The bound of what comes after a result: the CLI is to be idle by then, or to begin another turn.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use agentwire_control::Delivery;
use agentwire_protocol::{Message, System, message::SessionState};
use tokio::time::{Instant, Sleep, sleep};

use crate::session::{Background, Mark};

/// Runs from a result on, until a turn begins or the run is over.
#[derive(Debug, Default)]
pub(super) struct IdleTimeout(Option<(Pin<Box<Sleep>>, Mark)>);

impl IdleTimeout {
    /// A result sets it, and so does the CLI when it says that it still works; a turn that begins lifts it.
    pub(super) fn see(&mut self, delivery: &Delivery, background: &Background) {
        match delivery {
            Delivery::TurnEnded(_) => self.set(background),
            Delivery::Incoming(incoming) => match incoming.message() {
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

    /// Waits until it is reached. It does not run while a callback does.
    pub(super) fn poll(&mut self, background: &Background, context: &mut Context<'_>) -> Poll<()> {
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

    fn set(&mut self, background: &Background) {
        self.0 = background.limit().map(|limit| (Box::pin(sleep(limit)), background.mark()));
    }
}

/// Whether it is said in a turn that will have a result: what agents in the background say is not.
fn is_of_a_turn(message: &Message) -> bool {
    match message {
        Message::System(System::Init(_)) => true,
        Message::Assistant(message) => message.parent_tool_use_id.is_none(),
        Message::StreamEvent(message) => message.parent_tool_use_id.is_none(),
        _ => false,
    }
}
