//! The ends of a turn and of its process.

use std::sync::PoisonError;

use agentwire::{
    NotStored, TurnResult,
    protocol::{ToolUseId, message::TerminalReason},
};
use agentwire_net::error_chain;
use tokio::{
    sync::mpsc,
    time::{Instant, timeout},
};

use super::SessionTask;
use crate::{
    command::Command,
    gate::Verdict,
    interrupt::interrupted,
    machine::{Ending, Event},
    outcome::{Outcome, TurnReport},
    panics::caught,
    patient_store::OUTAGE,
    recovery::Recovery,
    turn::TurnSpec,
};

impl SessionTask {
    pub(super) fn decide(&mut self, id: &ToolUseId, verdict: Verdict) {
        self.last_activity = Instant::now();
        if let Some(sender) = self.verdicts.remove(id) {
            // The callback may have been withdrawn just now.
            let _ = sender.send(verdict);
        }
    }

    /// Ends the process, and waits until it is gone.
    pub(super) async fn close(&mut self) {
        self.verdicts.clear();
        if let (Some(session), Some(_), None) = (&mut self.session, &self.turn, &self.result) {
            // The CLI records the end of the turn, and a running tool ends. The result has the cost.
            self.result = interrupted(session, &mut self.observers).await;
        }
        self.end_process().await;
    }

    async fn end_process(&mut self) {
        let Some(session) = self.session.take() else { return };
        let is_cut = self.turn.is_some() && self.result.is_none();
        if let (Some(stored), false) = (session.store_handle(), is_cut) {
            // Closing waits for the store only as long as one flush. After a cut turn, a tool may still run: no wait.
            let flushed = async { while let Err(NotStored::TimedOut { .. }) = stored.flushed().await {} };
            // The session reports what a longer outage loses.
            let _ = timeout(OUTAGE, flushed).await;
        }
        if let Err(error) = session.close().await {
            tracing::debug!(session = %self.name, "the session ended with: {}", error_chain(&error));
        }
    }

    /// Ends the process and the turn after a panic, so that the session can be started again.
    pub(super) async fn panicked(&mut self, why: String, commands: &mut mpsc::Receiver<Command>) {
        self.end_process().await;
        self.failure = why;
        self.apply(Event::Gone, commands).await;
        // The machine may have ended the turn before the panic.
        if self.turn.is_some() {
            self.report(Ending::Interrupted).await;
        }
    }

    pub(super) async fn report(&mut self, ending: Ending) {
        let Some(fence) = self.fence.clone() else { return };
        // The grants of a turn that has ended must not start another.
        self.resumed = None;
        let (earlier, last) = (self.earlier.take(), self.result.take());
        let newest = last.as_ref().or(earlier.as_ref());
        // Until it is started again, the CLI answers each prompt with this error.
        self.is_of_one_turn |= newest
            .is_some_and(|result| result.terminal_reason == Some(TerminalReason::ToolDeferredUnavailable));
        let cost_usd = newest.map_or(0.0, |result| {
            let before = self.spent.replace(result.total_cost_usd).unwrap_or_else(|| cost_before(result));
            (result.total_cost_usd - before).max(0.0)
        });
        let outcome = match ending {
            // A CLI that does not go idle is interrupted, which gives a result without a text.
            Ending::Done => earlier.or(last).map_or_else(
                || self.awaited.without_result(),
                |result| Outcome::Done {
                    is_error: result.is_error,
                    text: result.result.unwrap_or_else(|| result.errors.join("\n")),
                },
            ),
            Ending::Parked(mut questions) => {
                // The model has not been informed of these answers.
                if self.notice.take().is_some() {
                    questions.extend(self.gate.withdraw_grants());
                }
                Outcome::Parked(questions)
            }
            Ending::Cancelled => Outcome::Cancelled,
            Ending::Drained if self.is_unstarted => {
                self.interrupted("the worker is drained".to_owned()).await
            }
            Ending::Drained => Outcome::Drained,
            Ending::Interrupted => {
                let why = std::mem::take(&mut self.failure);
                self.interrupted(why).await
            }
        };
        let revision = match &self.turn {
            // Its checkout may have failed half-way.
            Some(turn) if self.is_unstarted => turn.revision.clone(),
            _ => self.snapshot().await,
        };
        // Without a process of this session, only the processes of other sessions would be measured, perhaps just started.
        if self.session.is_some() {
            self.config.admission.observe();
        }
        // The engine may start the next turn within the callback.
        self.view().is_busy = false;
        self.released();
        let ticket = self.turn.take().and_then(|turn| turn.ticket);
        let ended = self.observers.ended(TurnReport { fence, outcome, cost_usd, revision, ticket });
        // A panic is logged, and the next turn may have been accepted.
        let _ = caught("on_end", ended).await;
    }

    async fn snapshot(&self) -> Option<String> {
        // The call may panic too, before there is a future.
        let stored = async { self.config.workspace.snapshot(&self.name).await };
        let stored = caught("the workspace", stored).await;
        let stored = stored.and_then(|stored| stored.map_err(|error| error_chain(&*error)));
        stored.unwrap_or_else(|why| {
            tracing::warn!(session = %self.name, "the workspace was not stored: {why}");
            None
        })
    }

    /// Returns the outcome of a turn that was cut, as far as the store shows.
    async fn interrupted(&self, why: String) -> Outcome {
        let input = match &self.turn {
            Some(TurnSpec { input, .. }) if !self.is_unstarted => input,
            _ => return Outcome::Interrupted { why, state: Recovery::Unstarted },
        };
        let read = caught("the store", Recovery::of(&self.config.store, &self.name, input)).await;
        match read.and_then(|state| state.map_err(|error| error_chain(&error))) {
            Ok(state) => Outcome::Interrupted { why, state },
            // It may have begun.
            Err(error) => Outcome::Interrupted {
                why: format!("{why}; {error}"),
                state: Recovery::Interrupted { tools: Vec::new() },
            },
        }
    }

    /// Frees the slot if the process has ended and no turn is accepted, and returns whether this is so.
    pub(super) fn released(&mut self) -> bool {
        if self.session.is_none() {
            let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
            if !view.is_busy {
                view.is_closed = true;
                self.slot = None;
            }
        }
        self.slot.is_none()
    }
}

/// Returns the cost of the session before the first result of a process: the total of a resumed CLI includes the cost
/// of earlier processes, but not with 2.1.197.
pub(super) fn cost_before(result: &TurnResult) -> f64 {
    result.cost_since_last_result().map_or(0.0, |since_start| result.total_cost_usd - since_start)
}
