//! Every event's type in turn, for tools and tests that hold for all of them.

use super::{
    ConfigChange, CwdChanged, DirectoryAdded, Elicitation, ElicitationResult, FileChanged, HookEvent,
    InstructionsLoaded, MessageDisplay, Notification, PermissionDenied, PermissionRequest, PostCompact,
    PostModelSwitch, PostToolBatch, PostToolUse, PostToolUseFailure, PreCompact, PreModelSwitch, PreToolUse,
    SessionEnd, SessionStart, Setup, Stop, StopFailure, SubagentStart, SubagentStop, TaskCompleted,
    TaskCreated, TeammateIdle, UserPromptExpansion, UserPromptSubmit, WorktreeCreate, WorktreeRemove,
};

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
    each! {
        PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification
        UserPromptSubmit UserPromptExpansion SessionStart SessionEnd Stop
        StopFailure SubagentStart SubagentStop PreCompact PostCompact
        PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup
        TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult
        ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged
        FileChanged DirectoryAdded MessageDisplay
    }
}
