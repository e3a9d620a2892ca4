//! The states of the prompts that were sent with an id.

use std::collections::{HashMap, VecDeque};

use agentwire_protocol::{
    Uuid,
    message::{CommandLifecycle, CommandState, TurnResult},
};

/// The state of a prompt that was sent with an id.
///
/// The CLI reports it with `command_lifecycle`. CLI 2.1.197 does not send that: there, a result settles every prompt that
/// was sent before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PromptState {
    /// It was sent, and the CLI has reported nothing yet.
    Sent,
    /// It waits for its turn.
    Queued,
    /// Its turn has begun, or it was merged into the running turn.
    Started,
    /// It was answered.
    Completed,
    /// Its turn has begun, and was interrupted or failed.
    Failed,
    /// It was cancelled before its turn began.
    Withdrawn,
}

impl PromptState {
    /// Returns whether its turn has begun, or never will.
    pub fn has_begun(self) -> bool {
        !matches!(self, Self::Sent | Self::Queued)
    }

    /// Returns whether it is in a final state.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Withdrawn)
    }

    fn after(self, reported: &CommandState) -> Self {
        match reported {
            CommandState::Queued => Self::Queued,
            CommandState::Started => Self::Started,
            CommandState::Completed => Self::Completed,
            CommandState::Cancelled if self == Self::Started => Self::Failed,
            CommandState::Cancelled if !self.is_settled() => Self::Withdrawn,
            _ => self,
        }
    }
}

/// The last [`MAX_PROMPTS`] prompts that were sent with an id.
#[derive(Debug, Default)]
pub(super) struct PromptTracker {
    states: HashMap<Uuid, PromptState>,
    order: VecDeque<Uuid>,
    /// Whether the CLI has reported the state of a prompt, which 2.1.197 never does.
    reports_states: bool,
}

impl PromptTracker {
    pub(super) fn sent(&mut self, prompt: Uuid) {
        if self.states.insert(prompt.clone(), PromptState::Sent).is_none() {
            self.order.push_back(prompt);
        }
        if self.order.len() > MAX_PROMPTS
            && let Some(oldest) = self.order.pop_front()
        {
            self.states.remove(&oldest);
        }
    }

    /// Applies a reported state. Returns whether it cancelled the last open prompt.
    pub(super) fn lifecycle(&mut self, lifecycle: &CommandLifecycle) -> bool {
        let Some(state) = self.states.get_mut(&lifecycle.command_uuid) else { return false };
        self.reports_states = true;
        *state = state.after(&lifecycle.state);
        *state == PromptState::Withdrawn && self.all_settled()
    }

    /// Handles the end of a turn, which settles all prompts if the CLI does not report their states.
    pub(super) fn result(&mut self, result: Option<&TurnResult>) {
        if self.reports_states {
            return;
        }
        let failed = result.is_none_or(|result| result.is_error);
        let settled = if failed { PromptState::Failed } else { PromptState::Completed };
        self.states.values_mut().filter(|state| !state.is_settled()).for_each(|state| *state = settled);
    }

    /// Returns whether all prompts are in a final state.
    pub(super) fn all_settled(&self) -> bool {
        self.states.values().all(|state| state.is_settled())
    }

    /// Returns whether no prompt is known to wait for its turn.
    pub(super) fn all_begun(&self) -> bool {
        !self.reports_states || self.states.values().all(|state| state.has_begun())
    }

    pub(super) fn state(&self, prompt: &Uuid) -> Option<PromptState> {
        self.states.get(prompt).copied()
    }

    pub(super) fn reports_states(&self) -> bool {
        self.reports_states
    }
}

/// How many prompts are remembered: far more than are open at once, in a few hundred kilobytes.
const MAX_PROMPTS: usize = 4096;
