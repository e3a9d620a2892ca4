//! Subagent events: `SubagentStart` and `SubagentStop`.

use super::{BackgroundTask, ContextOutput, HookReply, SessionCron, declare::hook_event};

hook_event! {
    /// A subagent starts.
    ///
    /// This event can't be blocked: a block has no effect.
    /// To block it, deny the tool `Agent` in [`PreToolUse`](super::PreToolUse).
    SubagentStart => ContextOutput, matched by "agent_type", refusal |_| None, adds context;

    /// The input of `SubagentStart`.
    SubagentStartInput of a subagent {}
}

hook_event! {
    /// A subagent has finished; a reply can make it continue.
    ///
    /// A handler that always blocks keeps it running up to its limits: check `stop_hook_active`.
    /// The CLI ignores `onFailure` here, so only a reply can block.
    SubagentStop => ContextOutput, matched by "agent_type", refusal |reason| Some(HookReply::go_on(reason)),
        adds context, can block, can continue;

    /// The input of `SubagentStop`.
    SubagentStopInput of a subagent {
        /// Whether it already continues because of a hook (`stop_hook_active`).
        #[serde(default)]
        stop_hook_active: bool,
        /// The path of the subagent's own transcript (`agent_transcript_path`).
        #[serde(default)]
        agent_transcript_path: String,
        /// The subagent's last text (`last_assistant_message`).
        last_assistant_message: Option<String>,
        /// Running background tasks (`background_tasks`); absent from older CLIs.
        background_tasks: Option<Vec<BackgroundTask>>,
        /// Scheduled prompts of the session (`session_crons`); absent from older CLIs.
        session_crons: Option<Vec<SessionCron>>,
    }
}
