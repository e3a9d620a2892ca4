//! What several events can say alike, as traits, so that one constructor serves them all and the others don't have it.

use super::{HookEvent, HookReply};

/// An event whose reply can tell the model something (`additionalContext`).
pub trait AddsContext: HookEvent<Output: Default> {
    /// Puts the text into the event's own output.
    fn tell(output: &mut Self::Output, text: String);
}

impl<E: AddsContext> HookReply<E> {
    /// Tells the model something; it leaves no message of its own.
    pub fn context(text: impl Into<String>) -> Self {
        Self::proceed().with_context(text)
    }

    /// The same reply, telling the model something too.
    #[must_use]
    pub fn with_context(mut self, text: impl Into<String>) -> Self {
        E::tell(self.output.get_or_insert_default(), text.into());
        self
    }
}

/// An event that heeds `decision: "block"`; what that does is said at each event.
pub trait CanBlock: HookEvent {}

impl<E: CanBlock> HookReply<E> {
    /// Blocks what the event guards, or objects to what has happened, for this reason.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::blocked(reason)
    }
}

/// An event that comes when the model is done, and can make it go on.
pub trait CanContinue: CanBlock {}

impl<E: CanContinue> HookReply<E> {
    /// The model must go on, told why.
    pub fn go_on(reason: impl Into<String>) -> Self {
        Self::blocked(reason)
    }
}

/// Implements [`AddsContext`] for events whose output has the field `additional_context`.
macro_rules! adds_context {
    ($($event:ident),+) => {
        $( impl $crate::hook::AddsContext for $event {
            fn tell(output: &mut Self::Output, text: String) {
                output.additional_context = Some(text);
            }
        } )+
    };
}

pub(super) use adds_context;
