//! Worktree events: `WorktreeCreate` and `WorktreeRemove`.

use super::{HookReply, NoOutput, declare::hook_event};

hook_event! {
    /// A worktree must be created: the hook creates it, and its reply must contain the directory.
    ///
    /// With a hook for this event, the CLI does not create worktrees itself.
    /// Any reply without a directory blocks, even [`HookReply::proceed`], and the reason is not shown.
    /// The directory must be a checkout of its own: the CLI rejects one that git considers part of the project.
    WorktreeCreate => WorktreeCreateOutput, refusal |reason| Some(HookReply::block(reason)), also when late,
        can block;

    /// The input of `WorktreeCreate`.
    WorktreeCreateInput {
        /// The worktree's name (`name`).
        name: Box<str>,
    }
}

/// The event-specific output of `WorktreeCreate`.
#[wire(camelCase, new)]
pub struct WorktreeCreateOutput {
    /// The absolute path of the created directory (`worktreePath`).
    pub worktree_path: String,
}

impl HookReply<WorktreeCreate> {
    /// Returns a reply with this directory.
    pub fn created(worktree_path: impl Into<String>) -> Self {
        Self::output(WorktreeCreateOutput::new(worktree_path))
    }
}

hook_event! {
    /// A worktree that a hook created must be removed; the hook removes it.
    ///
    /// This event can't be blocked: the session leaves the directory in any case.
    WorktreeRemove => NoOutput, refusal |_| None;

    /// The input of `WorktreeRemove`.
    WorktreeRemoveInput {
        /// The absolute path of the directory (`worktree_path`).
        worktree_path: String,
    }
}
