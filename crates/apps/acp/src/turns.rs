//! The prompts that wait for an answer, and how their turns ended. No I/O.

use std::collections::VecDeque;

use agent_client_protocol::{Error, v1::schema::StopReason};
use agentwire::{
    Block, Message, System,
    protocol::{
        Uuid,
        message::{
            AssistantError, BackgroundTask, CommandState, ResultSubtype, SessionState,
            StopReason as ModelStop, TurnResult,
        },
    },
};
use tokio::time::Instant;

use crate::failure::{internal, is_missing_login, not_logged_in};

/// The outcome of a prompt.
pub(crate) type Outcome = Result<StopReason, Error>;

/// The prompts without an answer, in the order in which they were sent.
///
/// A result names the prompts that its turn answered: a prompt that was sent while a turn ran may be absorbed by that
/// turn, and then shares its result. A CLI that names none (2.1.197) answers in order, if it gets one at a time.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    waiting: VecDeque<Waiting>,
    /// Whether the CLI reports the states of prompts.
    reports: bool,
    /// Whether the CLI has reported that it works, and not that it is idle since.
    is_active: bool,
    /// Whether an agent has worked in the background since the CLI was idle.
    has_agents: bool,
    /// The kind of the last API error of the turn.
    failure: Option<AssistantError>,
}

#[derive(Debug)]
struct Waiting {
    prompt: Uuid,
    state: Option<CommandState>,
    /// Whether its turn has ended while an agent worked in the background.
    is_held: bool,
    /// When the client cancelled it first, if it did.
    cancelled: Option<Instant>,
}

impl Turns {
    /// Adds a prompt.
    pub(crate) fn sent(&mut self, prompt: Uuid) {
        self.waiting.push_back(Waiting { prompt, state: None, is_held: false, cancelled: None });
    }

    /// Returns whether the next prompt must wait for the result of the last one: a CLI that does not report the states of
    /// prompts (2.1.197) may absorb it without a sign.
    pub(crate) fn must_hold(&self) -> bool {
        !self.reports && !self.waiting.is_empty()
    }

    /// Removes a prompt that was not sent after all.
    pub(crate) fn not_sent(&mut self, prompt: &Uuid) {
        self.waiting.retain(|waiting| waiting.prompt != *prompt);
    }

    /// Marks all prompts as cancelled, regardless of their results.
    pub(crate) fn cancel(&mut self) {
        let now = Instant::now();
        for waiting in &mut self.waiting {
            waiting.cancelled.get_or_insert(now);
        }
    }

    /// Returns the earliest time at which the client cancelled a prompt that still waits.
    pub(crate) fn cancelled_at(&self) -> Option<Instant> {
        self.waiting.iter().filter_map(|waiting| waiting.cancelled).min()
    }

    /// Removes the prompts that were cancelled at this time.
    pub(crate) fn drain_cancelled(&mut self, at: Instant) -> Vec<Uuid> {
        let removed = self.remove(|waiting| waiting.cancelled == Some(at));
        removed.into_iter().map(|waiting| waiting.prompt).collect()
    }

    /// Returns whether this message is the text of a missing login that the error of a prompt will contain. Editors have
    /// no `/login`, which the text asks for.
    pub(crate) fn will_report(&self, message: &Message) -> bool {
        let Message::Assistant(answer) = message else { return false };
        let mut texts = answer.message.content.iter().filter_map(Block::as_text);
        !self.waiting.is_empty() && texts.any(|text| is_missing_login(answer.error.as_ref(), text))
    }

    /// Returns the prompts that this message settles, with their outcomes.
    pub(crate) fn settled(&mut self, message: &Message) -> Vec<(Uuid, Outcome)> {
        match message {
            Message::Assistant(answer) if answer.parent_tool_use_id.is_none() => {
                self.failure.clone_from(&answer.error);
                Vec::new()
            }
            Message::CommandLifecycle(change) => {
                self.reports = true;
                if change.state == CommandState::Cancelled {
                    return self
                        .end(|waiting| waiting.prompt == change.command_uuid, &Ok(StopReason::Cancelled));
                }
                for waiting in self.waiting.iter_mut().filter(|one| one.prompt == change.command_uuid) {
                    waiting.state = Some(change.state.clone());
                }
                // What the CLI does from now on belongs to the prompt that has started.
                if change.state == CommandState::Started {
                    self.end(|waiting| waiting.is_held, &Ok(StopReason::EndTurn))
                } else {
                    Vec::new()
                }
            }
            Message::System(System::BackgroundTasksChanged(changed)) => {
                self.has_agents |= changed.tasks.iter().any(is_agent);
                Vec::new()
            }
            Message::Result(result) => self.answered(result),
            Message::System(System::SessionStateChanged(change)) => {
                self.is_active = change.state != SessionState::Idle;
                if self.is_active {
                    return Vec::new();
                }
                self.has_agents = false;
                // A command of the CLI may end without a result.
                let is_over = |one: &Waiting| one.is_held || one.state == Some(CommandState::Completed);
                self.end(is_over, &Ok(StopReason::EndTurn))
            }
            _ => Vec::new(),
        }
    }

    fn answered(&mut self, result: &TurnResult) -> Vec<(Uuid, Outcome)> {
        let outcome = outcome(result, self.failure.take());
        let named: Vec<&Uuid> =
            result.user_message_uuids.iter().flatten().chain(&result.user_message_uuid).collect();
        let mut answered = if named.is_empty() {
            // A turn of background work answers no prompt that waits in the queue.
            let reports = self.reports;
            let is_begun = |one: &Waiting| !reports || one.state == Some(CommandState::Started);
            let begun = self.waiting.iter().position(|one| !one.is_held && is_begun(one));
            begun.and_then(|at| self.waiting.remove(at)).into_iter().collect()
        } else {
            self.remove(|waiting| named.contains(&&waiting.prompt))
        };
        // Editors show an agent's work, and its permission requests, only until the prompt is answered. When the agent
        // has ended, the CLI starts a turn with its result, which names no prompt, and is idle after that.
        if outcome != Ok(StopReason::EndTurn) {
            if named.is_empty() && answered.is_empty() {
                answered = self.remove(|one| one.is_held);
            }
        } else if self.is_active && self.has_agents {
            let held = answered.extract_if(.., |one| one.cancelled.is_none());
            self.waiting.extend(held.map(|one| Waiting { is_held: true, ..one }));
        }
        answered.into_iter().map(|one| one.ended(outcome.clone())).collect()
    }

    /// Removes these prompts, and returns them with this outcome.
    fn end(&mut self, which: impl Fn(&Waiting) -> bool, outcome: &Outcome) -> Vec<(Uuid, Outcome)> {
        self.remove(which).into_iter().map(|one| one.ended(outcome.clone())).collect()
    }

    fn remove(&mut self, which: impl Fn(&Waiting) -> bool) -> Vec<Waiting> {
        let (removed, kept): (Vec<_>, Vec<_>) = self.waiting.drain(..).partition(which);
        self.waiting = kept.into();
        removed
    }
}

impl Waiting {
    fn ended(self, outcome: Outcome) -> (Uuid, Outcome) {
        (self.prompt, if self.cancelled.is_some() { Ok(StopReason::Cancelled) } else { outcome })
    }
}

/// Returns whether a task runs agents, whose end the CLI reports to the model.
fn is_agent(task: &BackgroundTask) -> bool {
    task.ambient != Some(true) && matches!(&*task.task_type, "local_agent" | "local_workflow")
}

/// Returns how a turn ended.
fn outcome(result: &TurnResult, failure: Option<AssistantError>) -> Outcome {
    if result.was_aborted() {
        return Ok(StopReason::Cancelled);
    }
    match (&result.subtype, &result.stop_reason) {
        (ResultSubtype::ErrorMaxTurns, _) => return Ok(StopReason::MaxTurnRequests),
        (_, Some(ModelStop::Refusal)) => return Ok(StopReason::Refusal),
        (_, Some(ModelStop::MaxTokens | ModelStop::ContextWindowExceeded)) => {
            return Ok(StopReason::MaxTokens);
        }
        _ => {}
    }
    match (result.error_text(), failure) {
        (None, _) => Ok(StopReason::EndTurn),
        (Some(text), kind) if is_missing_login(kind.as_ref(), &text) => Err(not_logged_in(&text)),
        // The reason of the result is `stop_sequence` then (2.1.330).
        (Some(_), Some(AssistantError::MaxOutputTokens)) => Ok(StopReason::MaxTokens),
        (Some(text), _) => Err(internal(text)),
    }
}

#[cfg(test)]
mod tests;
