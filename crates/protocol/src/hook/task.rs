//! The list of tasks and those who work on it: `TaskCreated`, `TaskCompleted` and `TeammateIdle`.

use super::{CanBlock, HookReply, NoOutput, declare::hook_event};

hook_event! {
    /// A task is put on the list.
    ///
    /// A block takes it off again, and the model is told why.
    /// A reply that ends the turn has no effect.
    TaskCreated => NoOutput, refusal |reason| Some(HookReply::block(reason));

    /// What `TaskCreated` tells.
    TaskCreatedInput {
        /// The task (`task_id`).
        task_id: Box<str>,
        /// What is to be done, in a line (`task_subject`).
        #[serde(default)]
        task_subject: String,
        /// What is to be done (`task_description`).
        task_description: Option<String>,
        /// Who works on it (`teammate_name`).
        teammate_name: Option<Box<str>>,
        /// The team (`team_name`); deprecated by the CLI.
        team_name: Option<Box<str>>,
    }
}

impl CanBlock for TaskCreated {}

hook_event! {
    /// A task is to be marked as done.
    ///
    /// A block leaves it as it was, and the model is told why.
    /// A reply that ends the turn has no effect, and the CLI ignores `onFailure`, so only a reply can refuse.
    TaskCompleted => NoOutput, refusal |reason| Some(HookReply::block(reason)), also when late;

    /// What `TaskCompleted` tells.
    TaskCompletedInput {
        /// The task (`task_id`).
        task_id: Box<str>,
        /// What was to be done, in a line (`task_subject`).
        #[serde(default)]
        task_subject: String,
        /// What was to be done (`task_description`).
        task_description: Option<String>,
        /// Who worked on it (`teammate_name`).
        teammate_name: Option<Box<str>>,
        /// The team (`team_name`); deprecated by the CLI.
        team_name: Option<Box<str>>,
    }
}

impl CanBlock for TaskCompleted {}

hook_event! {
    /// A teammate has nothing to do any more: it may be made to go on.
    ///
    /// Declared; a callback was never seen to be called for it, so the effect of a block is as documented by the CLI
    /// and was not measured.
    TeammateIdle => NoOutput, refusal |reason| Some(HookReply::block(reason));

    /// What `TeammateIdle` tells.
    TeammateIdleInput {
        /// The teammate (`teammate_name`).
        teammate_name: Box<str>,
        /// The team (`team_name`); deprecated by the CLI.
        team_name: Option<Box<str>>,
    }
}

impl CanBlock for TeammateIdle {}
