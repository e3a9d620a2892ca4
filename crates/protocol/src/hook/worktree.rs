//! Worktrees made by the host: `WorktreeCreate` and `WorktreeRemove`.

use serde::{Deserialize, Serialize};

use super::{CanBlock, HookReply, NoOutput, declare::hook_event};

hook_event! {
    /// A worktree is to be made, and the hook is the one who makes it: it must answer with the directory.
    ///
    /// With a hook for this event the CLI makes none itself.
    /// Any reply without a directory refuses, [`HookReply::proceed`] too, and the reason is not shown.
    /// The directory must be a checkout of its own: one that git takes for a part of the project is refused.
    WorktreeCreate => WorktreeCreateOutput, refusal |reason| Some(HookReply::block(reason)), also when late;

    /// What `WorktreeCreate` tells.
    WorktreeCreateInput {
        /// The worktree's name (`name`).
        name: Box<str>,
    }
}

/// What only `WorktreeCreate` can say.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorktreeCreateOutput {
    /// The directory that was made, as an absolute path (`worktreePath`).
    pub worktree_path: String,
}

impl WorktreeCreateOutput {
    /// This directory was made.
    pub fn new(worktree_path: impl Into<String>) -> Self {
        Self { worktree_path: worktree_path.into() }
    }
}

impl CanBlock for WorktreeCreate {}

impl HookReply<WorktreeCreate> {
    /// This directory was made.
    pub fn created(worktree_path: impl Into<String>) -> Self {
        Self::output(WorktreeCreateOutput::new(worktree_path))
    }
}

hook_event! {
    /// A worktree that a hook has made is to be removed, which is for the hook to do.
    ///
    /// The event can't refuse: the session leaves the directory whatever the reply is.
    WorktreeRemove => NoOutput, refusal |_| None;

    /// What `WorktreeRemove` tells.
    WorktreeRemoveInput {
        /// The directory, as an absolute path (`worktree_path`).
        worktree_path: String,
    }
}
