//! Inputs of all events as one union, for tools that do not know which event came.

use super::{
    ConfigChangeInput, CwdChangedInput, DirectoryAddedInput, ElicitationInput, ElicitationResultInput,
    FileChangedInput, InstructionsLoadedInput, MessageDisplayInput, NotificationInput, PermissionDeniedInput,
    PermissionRequestInput, PostCompactInput, PostModelSwitchInput, PostToolBatchInput,
    PostToolUseFailureInput, PostToolUseInput, PreCompactInput, PreModelSwitchInput, PreToolUseInput,
    SessionEndInput, SessionStartInput, SetupInput, StopFailureInput, StopInput, SubagentStartInput,
    SubagentStopInput, TaskCompletedInput, TaskCreatedInput, TeammateIdleInput, UserPromptExpansionInput,
    UserPromptSubmitInput, WorktreeCreateInput, WorktreeRemoveInput,
};
use crate::tagged::tagged;

tagged! {
    /// The input of any event, told apart by `hook_event_name`.
    ///
    /// The CLI writes that field behind the common ones, so reading holds those as text first: a handler of one event
    /// reads its [`HookEvent::Input`](super::HookEvent::Input) instead.
    pub enum AnyInput by "hook_event_name" {
        /// Before a tool is used.
        PreToolUse(Box<PreToolUseInput>) = "PreToolUse",
        /// After a tool was used.
        PostToolUse(Box<PostToolUseInput>) = "PostToolUse",
        /// After the use of a tool failed.
        PostToolUseFailure(Box<PostToolUseFailureInput>) = "PostToolUseFailure",
        /// After all tool uses of one message.
        PostToolBatch(Box<PostToolBatchInput>) = "PostToolBatch",
        /// A notice for the user.
        Notification(Box<NotificationInput>) = "Notification",
        /// A prompt is on its way to the model.
        UserPromptSubmit(Box<UserPromptSubmitInput>) = "UserPromptSubmit",
        /// A slash command was expanded into a prompt.
        UserPromptExpansion(Box<UserPromptExpansionInput>) = "UserPromptExpansion",
        /// A conversation begins.
        SessionStart(Box<SessionStartInput>) = "SessionStart",
        /// A conversation ends.
        SessionEnd(Box<SessionEndInput>) = "SessionEnd",
        /// The model is done.
        Stop(Box<StopInput>) = "Stop",
        /// The turn ended with an error of the API.
        StopFailure(Box<StopFailureInput>) = "StopFailure",
        /// A subagent begins.
        SubagentStart(Box<SubagentStartInput>) = "SubagentStart",
        /// A subagent is done.
        SubagentStop(Box<SubagentStopInput>) = "SubagentStop",
        /// Before the conversation is compacted.
        PreCompact(Box<PreCompactInput>) = "PreCompact",
        /// After it was compacted.
        PostCompact(Box<PostCompactInput>) = "PostCompact",
        /// Before the model is switched.
        PreModelSwitch(Box<PreModelSwitchInput>) = "PreModelSwitch",
        /// After it was switched.
        PostModelSwitch(Box<PostModelSwitchInput>) = "PostModelSwitch",
        /// Somebody would be asked about a tool use.
        PermissionRequest(Box<PermissionRequestInput>) = "PermissionRequest",
        /// The classifier refused a tool use.
        PermissionDenied(Box<PermissionDeniedInput>) = "PermissionDenied",
        /// The project is set up.
        Setup(Box<SetupInput>) = "Setup",
        /// A teammate has nothing to do.
        TeammateIdle(Box<TeammateIdleInput>) = "TeammateIdle",
        /// A task was put on the list.
        TaskCreated(Box<TaskCreatedInput>) = "TaskCreated",
        /// A task is to be marked as done.
        TaskCompleted(Box<TaskCompletedInput>) = "TaskCompleted",
        /// An MCP server asks the user something.
        Elicitation(Box<ElicitationInput>) = "Elicitation",
        /// The user has answered an MCP server.
        ElicitationResult(Box<ElicitationResultInput>) = "ElicitationResult",
        /// A settings file was changed.
        ConfigChange(Box<ConfigChangeInput>) = "ConfigChange",
        /// A worktree is to be made.
        WorktreeCreate(Box<WorktreeCreateInput>) = "WorktreeCreate",
        /// A worktree is to be removed.
        WorktreeRemove(Box<WorktreeRemoveInput>) = "WorktreeRemove",
        /// A file of instructions was loaded.
        InstructionsLoaded(Box<InstructionsLoadedInput>) = "InstructionsLoaded",
        /// The working directory was changed.
        CwdChanged(Box<CwdChangedInput>) = "CwdChanged",
        /// A watched file was changed.
        FileChanged(Box<FileChangedInput>) = "FileChanged",
        /// A directory was added to those of the session.
        DirectoryAdded(Box<DirectoryAddedInput>) = "DirectoryAdded",
        /// Lines of an answer are about to be shown.
        MessageDisplay(Box<MessageDisplayInput>) = "MessageDisplay",
    }
}
