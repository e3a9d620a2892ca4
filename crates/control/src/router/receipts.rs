//! What becomes of the prompts that were sent, by their ids.

use std::collections::{HashMap, VecDeque};

use agentwire_protocol::{
    Uuid,
    message::{CommandLifecycle, CommandState, TurnResult},
};

/// What is known of a prompt that was sent with an id.
///
/// The CLI tells it by `command_lifecycle`, which an old one (2.1.197) does not send: there a result is all that is
/// known, and it settles every prompt that was sent before it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PromptState {
    /// It was sent, and the CLI has not spoken of it.
    Sent,
    /// It waits for its turn.
    Queued,
    /// Its turn has begun, or the running turn has taken it in.
    Started,
    /// It was answered.
    Completed,
    /// Its turn has begun, and was interrupted or failed.
    Failed,
    /// It was cancelled before its turn began.
    Withdrawn,
}

impl PromptState {
    /// Whether its turn has begun, or never will.
    pub fn has_begun(self) -> bool {
        !matches!(self, Self::Sent | Self::Queued)
    }

    /// Whether nothing will become of it any more.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Withdrawn)
    }

    fn after(self, told: &CommandState) -> Self {
        match told {
            CommandState::Queued => Self::Queued,
            CommandState::Started => Self::Started,
            CommandState::Completed => Self::Completed,
            CommandState::Cancelled if self == Self::Started => Self::Failed,
            CommandState::Cancelled if !self.is_settled() => Self::Withdrawn,
            _ => self,
        }
    }
}

/// The prompts that were sent with an id; of more than [`MOST`], the oldest are forgotten.
#[derive(Debug, Default)]
pub(super) struct PromptTracker {
    states: HashMap<Uuid, PromptState>,
    order: VecDeque<Uuid>,
    /// Whether the CLI tells at all what becomes of a prompt.
    told: bool,
}

impl PromptTracker {
    pub(super) fn sent(&mut self, prompt: Uuid) {
        if self.states.insert(prompt.clone(), PromptState::Sent).is_none() {
            self.order.push_back(prompt);
        }
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.states.remove(&oldest);
        }
    }

    /// Takes note of what is told; whether that was a prompt cancelled, and no other is open.
    pub(super) fn lifecycle(&mut self, told: &CommandLifecycle) -> bool {
        let Some(state) = self.states.get_mut(&told.command_uuid) else { return false };
        self.told = true;
        *state = state.after(&told.state);
        *state == PromptState::Withdrawn && self.all_settled()
    }

    /// A turn has ended: where the CLI tells nothing, that settles what was sent.
    pub(super) fn result(&mut self, result: Option<&TurnResult>) {
        if self.told {
            return;
        }
        let failed = result.is_none_or(|result| result.is_error);
        let settled = if failed { PromptState::Failed } else { PromptState::Completed };
        self.states.values_mut().filter(|state| !state.is_settled()).for_each(|state| *state = settled);
    }

    /// Whether nothing will become of any prompt any more.
    pub(super) fn all_settled(&self) -> bool {
        self.states.values().all(|state| state.is_settled())
    }

    /// Whether no prompt is known to wait for its turn.
    #[cfg(feature = "driver")]
    pub(super) fn all_begun(&self) -> bool {
        !self.told || self.states.values().all(|state| state.has_begun())
    }

    pub(super) fn state(&self, prompt: &Uuid) -> Option<PromptState> {
        self.states.get(prompt).copied()
    }

    pub(super) fn told(&self) -> bool {
        self.told
    }
}

/// How many prompts are remembered: far more than wait at once, and some hundred kilobytes.
const MOST: usize = 4096;
