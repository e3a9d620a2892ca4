//! The messages of the CLI in a turn, and the time limit for a CLI that does not go idle.

use std::{slice, time::Duration};

use agentwire::{
    Incoming, Message, Session, System, TurnResult, Warning,
    protocol::{
        ToolName,
        message::{TerminalReason, UserInput},
    },
};
use agentwire_net::error_chain;
use tokio::time::Instant;

use super::{SessionTask, end::cost_before};
use crate::{
    config::approvals_hook,
    machine::{Event, Phase},
};

impl SessionTask {
    /// Handles a message, or the end of the CLI.
    pub(super) async fn received(
        &mut self,
        incoming: Option<Result<Incoming, agentwire::Error>>,
    ) -> Option<Event> {
        let incoming = match incoming {
            Some(Ok(incoming)) => incoming,
            Some(Err(error)) => {
                self.failure = error_chain(&error);
                return None;
            }
            None => {
                if self.failure.is_empty() {
                    "the CLI ended in the turn".clone_into(&mut self.failure);
                }
                return Some(Event::Gone);
            }
        };
        self.last_activity = Instant::now();
        self.observers.message(&incoming).await;
        match &incoming {
            Incoming::Message(Message::Result(result), _) => {
                self.spent = self.spent.or_else(|| Some(cost_before(result)));
            }
            Incoming::Message(Message::System(System::Init(init)), _) => self.log_warnings(&init.tools),
            _ => {}
        }
        // The CLI stores all that follows under another id.
        self.is_of_one_turn |= matches!(incoming, Incoming::Message(Message::ConversationReset(_), _));
        if !self.awaited.is_answered_by(&incoming) || !self.machine.in_turn() {
            return None;
        }
        if self.machine.phase() != Phase::Parking
            && let Some(notice) = self.notice.take()
        {
            return self.send(UserInput::new(notice)).await;
        }
        // A result that can't be read, or never comes, ends the turn too.
        let result = match incoming {
            Incoming::Message(Message::Result(result), _) => Some(result),
            _ => None,
        };
        let result = last_with_text(self.earlier.take(), result);
        if self.machine.phase() != Phase::Parking
            && (self.awaited.await_steered() || self.awaited.await_idle())
        {
            self.earlier = result;
            return None;
        }
        self.result = result;
        let is_deferred = |result: &TurnResult| result.terminal_reason == Some(TerminalReason::ToolDeferred);
        Some(Event::Result { deferred: self.result.as_deref().is_some_and(is_deferred) })
    }

    /// Logs the warnings of the process, each once: those of its session, and one for each approval that matches none of
    /// its tools. The message that lists the tools, at the start of a turn, may add some.
    pub(super) fn log_warnings(&mut self, tools: &[ToolName]) {
        let names = if tools.is_empty() { &[] } else { &self.config.approvals[..] };
        let misfits = names.iter().flat_map(|name| approvals_hook(slice::from_ref(name)).misfits(tools));
        let approvals = misfits.map(|warning| format!("approvals: {warning}"));
        let warnings = self.session.iter().flat_map(Session::warnings);
        // The worker's options decide which tools are asked about; approvals are hooks, which rules do not bypass.
        let warnings = warnings.filter(|warning| !matches!(warning, Warning::NotAsked { .. }));
        let warnings = warnings.map(ToString::to_string);
        for warning in warnings.chain(approvals) {
            if !self.warned.contains(&warning) {
                tracing::warn!(session = %self.name, "{warning}");
                self.warned.push(warning);
            }
        }
    }

    /// Returns when the turn ends although the CLI is not idle. A turn of the model and an open question have no such
    /// limit.
    pub(super) fn idle_deadline(&self) -> Option<Instant> {
        let is_limited = self.machine.phase() == Phase::Running && self.awaited.awaits_idle();
        is_limited.then(|| self.last_activity + IDLE_LIMIT)
    }

    /// Ends the turn with the result that it has.
    pub(super) fn idle_timeout(&self) -> Event {
        tracing::warn!(session = %self.name, "the CLI has sent nothing for {IDLE_LIMIT:?}, and is not idle");
        Event::IdleTimeout
    }
}

/// Returns the result of the turn. A later result without a text, such as that of a note, only updates the cost.
fn last_with_text(
    earlier: Option<Box<TurnResult>>,
    later: Option<Box<TurnResult>>,
) -> Option<Box<TurnResult>> {
    match (earlier, later) {
        (Some(mut earlier), Some(later)) if is_empty(&later) => {
            earlier.total_cost_usd = later.total_cost_usd;
            Some(earlier)
        }
        (earlier, later) => later.or(earlier),
    }
}

fn is_empty(result: &TurnResult) -> bool {
    let is_about_deferral = matches!(
        result.terminal_reason,
        Some(TerminalReason::ToolDeferred | TerminalReason::ToolDeferredUnavailable)
    );
    let has_text = result.result.as_deref().is_some_and(|text| !text.is_empty());
    !(result.is_error || has_text || is_about_deferral) && result.errors.is_empty()
}

/// How long a CLI that is not idle may send nothing after the result of the turn: longer than the longest command of an
/// agent, which has ten minutes.
const IDLE_LIMIT: Duration = Duration::from_secs(900);
