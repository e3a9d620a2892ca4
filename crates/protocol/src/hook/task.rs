//! Task list events: `TaskCreated`, `TaskCompleted` and `TeammateIdle`.

use super::{HookReply, NoOutput, declare::hook_event};

hook_event! {
    /// A task was created.
    ///
    /// A block removes the task, and the model sees the reason.
    /// A reply that ends the turn has no effect.
    TaskCreated => NoOutput, refusal |reason| Some(HookReply::block(reason)), can block;

    /// The input of `TaskCreated`.
    TaskCreatedInput {
        /// The task (`task_id`).
        task_id: Box<str>,
        /// The subject, in one line (`task_subject`).
        #[serde(default)]
        task_subject: String,
        /// The description (`task_description`).
        task_description: Option<String>,
        /// The teammate that works on it (`teammate_name`).
        teammate_name: Option<Box<str>>,
        /// The team (`team_name`); deprecated by the CLI.
        team_name: Option<Box<str>>,
    }
}

hook_event! {
    /// Before a task is marked as completed.
    ///
    /// A block leaves the task unchanged, and the model sees the reason.
    /// A reply that ends the turn has no effect, and the CLI ignores `onFailure`, so only a reply can block.
    TaskCompleted => NoOutput, refusal |reason| Some(HookReply::block(reason)), also when late, can block;

    /// The input of `TaskCompleted`.
    TaskCompletedInput {
        /// The task (`task_id`).
        task_id: Box<str>,
        /// The subject, in one line (`task_subject`).
        #[serde(default)]
        task_subject: String,
        /// The description (`task_description`).
        task_description: Option<String>,
        /// The teammate that worked on it (`teammate_name`).
        teammate_name: Option<Box<str>>,
        /// The team (`team_name`); deprecated by the CLI.
        team_name: Option<Box<str>>,
    }
}

hook_event! {
    /// A teammate becomes idle; a reply can make it continue.
    ///
    /// Declared, but a callback was never seen to fire for it; the effect of a block follows the CLI's documentation
    /// and was not measured. The CLI ignores `onFailure` here (declared).
    TeammateIdle => NoOutput, refusal |reason| Some(HookReply::block(reason)), can block;

    /// The input of `TeammateIdle`.
    TeammateIdleInput {
        /// The teammate (`teammate_name`).
        teammate_name: Box<str>,
        /// The team (`team_name`); deprecated by the CLI.
        team_name: Option<Box<str>>,
    }
}
