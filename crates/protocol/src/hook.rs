//! Hooks: events of the CLI that callbacks of the host can observe, change or block.

mod ability;
mod answer;
mod compact;
mod config;
mod declare;
mod effort;
mod elicitation;
mod events;
mod message;
mod model;
mod permission_request;
mod pre_tool_use;
mod prompt;
mod reply;
mod session;
mod skill_shell_command;
mod specific;
mod stop;
mod subagent;
mod task;
mod tool;
mod workspace;
mod worktree;

use std::{fmt::Debug, time::Duration};

use serde::{Serialize, de::DeserializeOwned};

pub use ability::*;
pub use answer::*;
pub use compact::*;
pub use config::*;
pub use effort::*;
pub use elicitation::*;
pub use events::*;
pub use message::*;
pub use model::*;
pub use permission_request::*;
pub use pre_tool_use::*;
pub use prompt::*;
pub use reply::*;
pub use session::*;
pub use skill_shell_command::*;
pub use specific::*;
pub use stop::*;
pub use subagent::*;
pub use task::*;
pub use tool::*;
pub use workspace::*;
pub use worktree::*;

events::hook_events! {
    /// Before a tool use.
    PreToolUse(PreToolUseInput) = "PreToolUse",
    /// After a successful tool use.
    PostToolUse(PostToolUseInput) = "PostToolUse",
    /// After a failed tool use.
    PostToolUseFailure(PostToolUseFailureInput) = "PostToolUseFailure",
    /// After all tool uses of one message.
    PostToolBatch(PostToolBatchInput) = "PostToolBatch",
    /// A notification for the user.
    Notification(NotificationInput) = "Notification",
    /// Before a prompt is sent to the model.
    UserPromptSubmit(UserPromptSubmitInput) = "UserPromptSubmit",
    /// A slash command was expanded into a prompt.
    UserPromptExpansion(UserPromptExpansionInput) = "UserPromptExpansion",
    /// A conversation starts.
    SessionStart(SessionStartInput) = "SessionStart",
    /// A conversation ends.
    SessionEnd(SessionEndInput) = "SessionEnd",
    /// The model has finished its turn.
    Stop(StopInput) = "Stop",
    /// The turn ended with an API error.
    StopFailure(StopFailureInput) = "StopFailure",
    /// A subagent starts.
    SubagentStart(SubagentStartInput) = "SubagentStart",
    /// A subagent has finished.
    SubagentStop(SubagentStopInput) = "SubagentStop",
    /// Before the conversation is compacted.
    PreCompact(PreCompactInput) = "PreCompact",
    /// After the conversation was compacted.
    PostCompact(PostCompactInput) = "PostCompact",
    /// Before the model is switched.
    PreModelSwitch(PreModelSwitchInput) = "PreModelSwitch",
    /// After the model was switched.
    PostModelSwitch(PostModelSwitchInput) = "PostModelSwitch",
    /// A tool use needs permission.
    PermissionRequest(PermissionRequestInput) = "PermissionRequest",
    /// The classifier denied a tool use.
    PermissionDenied(PermissionDeniedInput) = "PermissionDenied",
    /// The project is set up.
    Setup(SetupInput) = "Setup",
    /// A teammate is about to go idle.
    TeammateIdle(TeammateIdleInput) = "TeammateIdle",
    /// A task was added to the list.
    TaskCreated(TaskCreatedInput) = "TaskCreated",
    /// A task is about to be marked as completed.
    TaskCompleted(TaskCompletedInput) = "TaskCompleted",
    /// An MCP server asks the user for input.
    Elicitation(ElicitationInput) = "Elicitation",
    /// The user has answered an MCP server.
    ElicitationResult(ElicitationResultInput) = "ElicitationResult",
    /// A settings file has changed.
    ConfigChange(ConfigChangeInput) = "ConfigChange",
    /// A worktree is to be created.
    WorktreeCreate(WorktreeCreateInput) = "WorktreeCreate",
    /// A worktree is to be removed.
    WorktreeRemove(WorktreeRemoveInput) = "WorktreeRemove",
    /// An instructions file was loaded.
    InstructionsLoaded(InstructionsLoadedInput) = "InstructionsLoaded",
    /// The working directory has changed.
    CwdChanged(CwdChangedInput) = "CwdChanged",
    /// A watched file has changed.
    FileChanged(FileChangedInput) = "FileChanged",
    /// A directory was added to the session.
    DirectoryAdded(DirectoryAddedInput) = "DirectoryAdded",
    /// Lines of an answer are about to be displayed.
    MessageDisplay(MessageDisplayInput) = "MessageDisplay",
    /// Before a shell command in the text of a skill runs.
    PreSkillShellCommand(PreSkillShellCommandInput) = "PreSkillShellCommand",
}

/// An event that a hook can be registered for.
///
/// The event is a unit value, so `on(PreToolUse, …)` determines the closure's input type.
pub trait HookEvent: Copy + PartialEq + Send + Sync + 'static {
    /// The event's name on the wire.
    const NAME: &'static str;
    /// The input; reading ignores the field `hook_event_name`, and writing leaves it out.
    type Input: Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send + Sync + 'static;
    /// The event-specific output (`hookSpecificOutput`); [`NoOutput`] if there is none.
    type Output: Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send + Sync + 'static;
    /// The wire name of the input field that matchers apply to; `None` if the CLI ignores matchers and calls the hook
    /// each time.
    ///
    /// Measured on CLI 2.1.330 with callbacks, except `Setup`, for which no callback ever fired.
    /// For `file_path`, matchers apply to the file name.
    const MATCHED_BY: Option<&'static str>;
    /// Whether the CLI blocks the guarded action if a callback times out.
    ///
    /// Measured on CLI 2.1.330, and in part on 2.1.197 with the same outcome.
    /// For other events, the CLI proceeds after a timeout, at least without `onFailure`.
    const REFUSES_WHEN_LATE: bool;
    /// The timeout of a callback if its matcher has no `timeout`.
    ///
    /// Measured on CLI 2.1.330. For `SessionEnd` it is also the maximum, regardless of the matcher.
    const DEFAULT_LIMIT: Duration;

    /// Returns the reply that blocks the guarded action; `None` if the event can't be blocked.
    ///
    /// A failing handler gets this reply: after a plain error reply the CLI proceeds, unless the matcher
    /// has [`HookFailure::Block`](crate::control::HookFailure::Block), which not every event supports.
    /// The effects in the docs of each event were measured on CLI 2.1.330 with callbacks, unless noted otherwise.
    fn refusal(reason: &str) -> Option<HookReply<Self>>;
}
