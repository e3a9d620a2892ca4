//! Reading a session: message by message, and what was set aside for it.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, ready},
};

use agentwire_codec::{Incoming, Line};
use agentwire_control::{ControlError, Delivery, SessionEnd};
use agentwire_protocol::{Message, System};

use super::{EndedBy, Session};
use crate::{Error, Warning};

/// What was read past while the turn of another prompt was waited for.
#[derive(Debug, Default)]
pub(super) struct SkippedMessages {
    deliveries: VecDeque<Delivery>,
    bytes: usize,
}

impl Session {
    /// The next thing that the CLI says, whichever turn it belongs to; `None` when the session has ended well.
    ///
    /// What an [`ask`](Self::ask) has set aside comes first.
    /// A loop that waits for the end of a turn asks [`Incoming::ends_turn`], which also holds for a result that can't be read.
    ///
    /// # Cancellation
    ///
    /// Cancel-safe: nothing is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`], once, when the session has ended badly; `None` comes after it.
    pub async fn next(&mut self) -> Option<Result<Incoming, Error>> {
        poll_fn(|context| self.poll_incoming(context)).await
    }

    /// Takes what turns of other prompts have said while the turn of an [`ask`](Self::ask) was read, in order.
    ///
    /// It is what [`next`](Self::next) would give first.
    pub fn leftovers(&mut self) -> Vec<Incoming> {
        std::iter::from_fn(|| self.aside.take())
            .filter_map(|delivery| match delivery {
                Delivery::Incoming(incoming) => Some(incoming),
                _ => None,
            })
            .collect()
    }

    fn poll_incoming(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Incoming, Error>>> {
        loop {
            match ready!(self.poll_delivery(context)) {
                Some(Ok(Delivery::Incoming(incoming))) => return Poll::Ready(Some(Ok(incoming))),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }

    /// The next delivery: of what was set aside, then of what comes.
    pub(crate) fn poll_delivery(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Delivery, Error>>> {
        match self.aside.take() {
            Some(delivery) => Poll::Ready(Some(Ok(delivery))),
            None => self.poll_arrival(context),
        }
    }

    /// The next delivery of what comes.
    pub(crate) fn poll_arrival(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Delivery, Error>>> {
        if self.ending.is_some() {
            return Poll::Ready(None);
        }
        Poll::Ready(match ready!(self.poll_said(context)) {
            Ok(delivery) => {
                if matches!(delivery, Delivery::RunOver) {
                    self.task.run_over();
                }
                self.place.see(&delivery);
                self.check_matchers(&delivery);
                Some(Ok(delivery))
            }
            Err(ending) => {
                let ending = self.explained(ending);
                self.ending = Some(Arc::clone(&ending));
                // A CLI that had to be signalled after its last turn has cost the caller nothing.
                let is_ours = matches!(self.task.ended_by(), EndedBy::Terminated | EndedBy::Killed)
                    && !ending.in_turn
                    && ending.error_result.is_none();
                (!ending.is_clean() && !is_ours).then_some(Err(Error::ended(ending)))
            }
        })
    }

    /// Warns about hooks that fit no tool, once the CLI has named the tools.
    fn check_matchers(&mut self, delivery: &Delivery) {
        if let Delivery::Incoming(incoming) = delivery
            && let Some(Message::System(System::Init(init))) = incoming.message()
            && !init.tools.is_empty()
            && let Some(hooks) = self.unchecked.take()
        {
            self.warnings.extend(hooks.misfits(&init.tools).into_iter().map(Warning::Hook));
        }
    }

    #[cfg(feature = "sessions")]
    fn poll_said(&mut self, context: &mut Context<'_>) -> Poll<Result<Delivery, Arc<SessionEnd>>> {
        match &mut self.mirror {
            Some(mirror) => mirror.poll_next(&mut self.messages, context),
            None => self.messages.poll_next(context),
        }
    }

    #[cfg(not(feature = "sessions"))]
    fn poll_said(&mut self, context: &mut Context<'_>) -> Poll<Result<Delivery, Arc<SessionEnd>>> {
        self.messages.poll_next(context)
    }

    /// Keeps what belongs to another turn than the one that is read.
    pub(crate) fn set_aside(&mut self, delivery: Delivery) {
        self.aside.bytes += weight(&delivery);
        self.aside.deliveries.push_back(delivery);
    }

    /// Why no more may be set aside, where that is so.
    pub(crate) fn backlog(&self) -> Option<Error> {
        let parked = self.aside.bytes;
        (parked > self.most_aside)
            .then(|| Error::Control(ControlError::Backlogged { subtype: "turn".into(), parked }))
    }

    /// Adds to a bad ending what it took to end the CLI.
    fn explained(&self, ending: Arc<SessionEnd>) -> Arc<SessionEnd> {
        match self.task.ended_by().explanation() {
            Some(explanation) if !ending.is_clean() => {
                let mut told = (*ending).clone();
                told.transport = Some(explanation.to_owned());
                Arc::new(told)
            }
            _ => ending,
        }
    }
}

impl SkippedMessages {
    fn take(&mut self) -> Option<Delivery> {
        let delivery = self.deliveries.pop_front()?;
        self.bytes -= weight(&delivery);
        Some(delivery)
    }
}

fn weight(delivery: &Delivery) -> usize {
    let line = match delivery {
        Delivery::Incoming(incoming) => incoming.line().map_or(0, Line::len),
        _ => 0,
    };
    line + size_of::<Delivery>()
}
