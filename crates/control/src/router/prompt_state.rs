//! The state of a prompt.

use agentwire_protocol::message::CommandState;

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

    pub(super) fn after(self, reported: &CommandState) -> Self {
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
