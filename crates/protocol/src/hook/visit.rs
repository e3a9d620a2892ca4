//! Every event's type in turn, for tools and tests that hold for all of them.

use super::{HookEvent, PostToolUse, PreToolUse, Stop, UserPromptSubmit};

/// Code that runs once for each event type.
pub trait EventVisitor {
    /// Called with one event.
    fn event<E: HookEvent>(&mut self);
}

/// Calls `visitor` for every event that this version knows, in the order of the CLI's own list.
pub fn visit_events(visitor: &mut impl EventVisitor) {
    macro_rules! each {
        ($($event:ident)*) => { $( visitor.event::<$event>(); )* };
    }
    each! { PreToolUse PostToolUse UserPromptSubmit Stop }
}
