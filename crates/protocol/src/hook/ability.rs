//! Traits for capabilities that several events share, so that only their replies have the matching constructors.

use super::{HookEvent, HookReply};

/// An event with a reply that can add text for the model (`additionalContext`).
pub trait AddsContext: HookEvent<Output: Default> {
    /// Sets the text in the event-specific output.
    fn set_context(output: &mut Self::Output, text: String);
}

impl<E: AddsContext> HookReply<E> {
    /// Returns a reply that adds text for the model, without a separate message.
    ///
    /// For `Stop` and `SubagentStop` the model then continues, as after a block: check `stop_hook_active`.
    pub fn context(text: impl Into<String>) -> Self {
        Self::proceed().with_context(text)
    }

    /// Adds text for the model.
    #[must_use]
    pub fn with_context(mut self, text: impl Into<String>) -> Self {
        E::set_context(self.output.get_or_insert_default(), text.into());
        self
    }
}

/// The event-specific output of an event that supports only additional context.
#[wire(Default, camelCase)]
pub struct ContextOutput {
    /// Additional text for the model, or for the subagent that starts or stops (`additionalContext`).
    pub additional_context: Option<String>,
}

/// An event that supports `decision: "block"`; the docs of each event describe the effect.
pub trait CanBlock: HookEvent {}

impl<E: CanBlock> HookReply<E> {
    /// Returns a reply that blocks the guarded action, or objects to a finished one, for this reason.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::blocked(reason)
    }
}

/// An event that fires when the model has finished and can make it continue.
pub trait CanContinue: CanBlock {}

impl<E: CanContinue> HookReply<E> {
    /// Returns a reply that makes the model continue, with this reason for the model.
    pub fn go_on(reason: impl Into<String>) -> Self {
        Self::blocked(reason)
    }
}
