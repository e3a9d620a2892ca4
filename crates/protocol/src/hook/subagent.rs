//! When subagents begin and end: `SubagentStart` and `SubagentStop`.

use serde::{Deserialize, Serialize};

use super::{
    BackgroundTask, CanBlock, CanContinue, HookReply, SessionCron, ability::adds_context, declare::hook_event,
};

hook_event! {
    /// A subagent begins.
    ///
    /// The event can't refuse: a block has no effect.
    /// To refuse it, refuse the tool `Agent` in [`PreToolUse`](super::PreToolUse).
    SubagentStart => SubagentStartOutput, matched by "agent_type", refusal |_| None;

    /// What `SubagentStart` tells.
    SubagentStartInput of a subagent {}
}

/// What only `SubagentStart` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubagentStartOutput {
    /// Text for the subagent (`additionalContext`).
    pub additional_context: Option<String>,
}

adds_context!(SubagentStart, SubagentStop);

hook_event! {
    /// A subagent is done: it may be made to go on.
    ///
    /// A handler that always refuses keeps it running up to its limits: look at `stop_hook_active`.
    /// The CLI ignores `onFailure` here, so only a reply can refuse.
    SubagentStop => SubagentStopOutput, matched by "agent_type", refusal |reason| Some(HookReply::go_on(reason));

    /// What `SubagentStop` tells.
    SubagentStopInput of a subagent {
        /// Whether it goes on already because a hook said so (`stop_hook_active`).
        #[serde(default)]
        stop_hook_active: bool,
        /// The file that the subagent's own conversation is stored in (`agent_transcript_path`).
        #[serde(default)]
        agent_transcript_path: String,
        /// The subagent's last text (`last_assistant_message`).
        last_assistant_message: Option<String>,
        /// What still runs in the background (`background_tasks`); absent from older CLIs.
        background_tasks: Option<Vec<BackgroundTask>>,
        /// What the session has planned to run later (`session_crons`); absent from older CLIs.
        session_crons: Option<Vec<SessionCron>>,
    }
}

/// What only `SubagentStop` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubagentStopOutput {
    /// Text for the subagent, which goes on to act on it (`additionalContext`).
    pub additional_context: Option<String>,
}

impl CanBlock for SubagentStop {}
impl CanContinue for SubagentStop {}
