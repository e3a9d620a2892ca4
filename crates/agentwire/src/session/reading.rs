//! Reading a session message by message, and the messages that `ask` skipped.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, ready},
};

use agentwire_codec::{Incoming, Line};
use agentwire_control::{ControlError, SessionEvent, SessionExit};
use agentwire_protocol::{Message, System, message::PluginError};

use super::{EndedBy, Session};
use crate::{Error, Warning};

/// Messages that were skipped while waiting for the turn of another prompt.
#[derive(Debug, Default)]
pub(super) struct SkippedMessages {
    events: VecDeque<SessionEvent>,
    bytes: usize,
}

impl Session {
    /// Returns the next message of any turn; `None` when the session has ended without an error.
    ///
    /// Messages that an [`ask`](Self::ask) skipped come first.
    /// To detect the end of a turn, use [`Incoming::ends_turn`], which also returns `true` for an unreadable result.
    ///
    /// # Cancel safety
    ///
    /// Cancel-safe: nothing is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`], or [`Error::NotLoggedIn`] for a missing login, once, if the session ended with an error;
    /// `None` follows it.
    pub async fn next(&mut self) -> Option<Result<Incoming, Error>> {
        while let Some(event) = poll_fn(|context| self.poll_event(context)).await {
            match event {
                Ok(SessionEvent::Incoming(incoming, _)) => return Some(Ok(incoming)),
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
        None
    }

    /// Removes and returns the messages of other turns that an [`ask`](Self::ask) skipped, in order.
    ///
    /// [`next`](Self::next) would return them first.
    pub fn leftovers(&mut self) -> Vec<Incoming> {
        std::iter::from_fn(|| self.skipped.take())
            .filter_map(|event| match event {
                SessionEvent::Incoming(incoming, _) => Some(incoming),
                _ => None,
            })
            .collect()
    }

    /// Polls for the next event: first the skipped ones, then new ones.
    pub(crate) fn poll_event(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<SessionEvent, Error>>> {
        match self.skipped.take() {
            Some(event) => Poll::Ready(Some(Ok(event))),
            None => self.poll_new_event(context),
        }
    }

    /// Polls for the next new event.
    pub(crate) fn poll_new_event(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<SessionEvent, Error>>> {
        if self.ending.is_some() {
            return Poll::Ready(None);
        }
        Poll::Ready(match ready!(self.poll_received(context)) {
            Ok(event) => {
                if matches!(event, SessionEvent::RunOver) {
                    self.task.run_over();
                }
                self.check_init(&event);
                Some(Ok(event))
            }
            Err(ending) => {
                let ending = self.explained(ending);
                self.ending = Some(Arc::clone(&ending));
                // After the last turn no output is lost if our signal ends the CLI, so that is not an error.
                let is_ours = matches!(self.task.ended_session_by(), EndedBy::Terminated | EndedBy::Killed)
                    && !ending.in_turn
                    && ending.error_result.is_none();
                (!ending.is_clean() && !is_ours).then_some(Err(Error::ended(ending)))
            }
        })
    }

    /// Keeps the session's id. Warns about plugins that the CLI could not load and, once it has listed its tools, about
    /// hooks that match none.
    fn check_init(&mut self, event: &SessionEvent) {
        let SessionEvent::Incoming(incoming, _) = event else { return };
        let Some(Message::System(System::Init(init))) = incoming.message() else { return };
        if !init.session_id.as_str().is_empty() {
            self.id = Some(init.session_id.clone());
        }
        for PluginError { plugin, kind, message, path, .. } in init.plugin_errors.iter().flatten() {
            let why = if message.is_empty() { kind.to_string() } else { message.clone() };
            // The CLI numbers plugins without a name, and the number is not their position in the options.
            let path = path.clone().filter(|_| plugin.starts_with("inline["));
            let warning = Warning::Plugin { plugin: path.unwrap_or_else(|| plugin.to_string()), why };
            // Each turn begins with this message.
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        if !init.tools.is_empty()
            && let Some(hooks) = self.unchecked.take()
        {
            self.warnings.extend(hooks.misfits(&init.tools).into_iter().map(Warning::Hook));
        }
    }

    fn poll_received(&mut self, context: &mut Context<'_>) -> Poll<Result<SessionEvent, Arc<SessionExit>>> {
        #[cfg(feature = "sessions")]
        if let Some(mirror) = &mut self.mirror {
            return mirror.poll_next(&mut self.messages, context);
        }
        self.messages.poll_next(context)
    }

    /// Skips an event of another turn: keeps it for later.
    pub(crate) fn skip(&mut self, event: SessionEvent) {
        self.skipped.bytes += weight(&event);
        self.skipped.events.push_back(event);
    }

    /// Returns an error if the skipped messages exceed their limit.
    pub(crate) fn backlog(&self) -> Option<Error> {
        let unread = self.skipped.bytes;
        (unread > self.max_skipped_bytes)
            .then(|| Error::Control(ControlError::Backlogged { subtype: "turn".into(), unread }))
    }

    /// Adds the shutdown step that ended the CLI to an unclean end.
    fn explained(&self, ending: Arc<SessionExit>) -> Arc<SessionExit> {
        match self.task.ended_session_by().explanation() {
            Some(explanation) if !ending.is_clean() => {
                let mut end = (*ending).clone();
                let cause = end.transport.map_or_else(String::new, |cause| format!("{cause}; "));
                end.transport = Some(cause + explanation);
                Arc::new(end)
            }
            _ => ending,
        }
    }
}

impl SkippedMessages {
    fn take(&mut self) -> Option<SessionEvent> {
        let event = self.events.pop_front()?;
        self.bytes -= weight(&event);
        Some(event)
    }
}

fn weight(event: &SessionEvent) -> usize {
    let line = match event {
        SessionEvent::Incoming(incoming, _) => incoming.line().map_or(0, Line::len),
        _ => 0,
    };
    line + size_of::<SessionEvent>()
}
