//! The names of the events.

use super::HookEvent;
use crate::open_enum::open_enum;

open_enum! {
    /// An event's name, as the handshake and `hook_event_name` spell it.
    pub enum HookEventName {
        /// Before a tool is used.
        PreToolUse = "PreToolUse",
        /// After a tool was used.
        PostToolUse = "PostToolUse",
        /// After the use of a tool failed.
        PostToolUseFailure = "PostToolUseFailure",
        /// After all tool uses of one message.
        PostToolBatch = "PostToolBatch",
        /// A notice for the user.
        Notification = "Notification",
        /// A prompt is on its way to the model.
        UserPromptSubmit = "UserPromptSubmit",
        /// A slash command was expanded into a prompt.
        UserPromptExpansion = "UserPromptExpansion",
        /// A conversation begins.
        SessionStart = "SessionStart",
        /// A conversation ends.
        SessionEnd = "SessionEnd",
        /// The model is done.
        Stop = "Stop",
        /// The turn ended with an error of the API.
        StopFailure = "StopFailure",
        /// A subagent begins.
        SubagentStart = "SubagentStart",
        /// A subagent is done.
        SubagentStop = "SubagentStop",
        /// Before the conversation is compacted.
        PreCompact = "PreCompact",
        /// After it was compacted.
        PostCompact = "PostCompact",
        /// Before the model is switched.
        PreModelSwitch = "PreModelSwitch",
        /// After it was switched.
        PostModelSwitch = "PostModelSwitch",
        /// Somebody would be asked about a tool use.
        PermissionRequest = "PermissionRequest",
        /// The classifier refused a tool use.
        PermissionDenied = "PermissionDenied",
        /// The project is set up.
        Setup = "Setup",
        /// A teammate has nothing to do.
        TeammateIdle = "TeammateIdle",
        /// A task was put on the list.
        TaskCreated = "TaskCreated",
        /// A task is to be marked as done.
        TaskCompleted = "TaskCompleted",
        /// An MCP server asks the user something.
        Elicitation = "Elicitation",
        /// The user has answered an MCP server.
        ElicitationResult = "ElicitationResult",
        /// A settings file was changed.
        ConfigChange = "ConfigChange",
        /// A worktree is to be made.
        WorktreeCreate = "WorktreeCreate",
        /// A worktree is to be removed.
        WorktreeRemove = "WorktreeRemove",
        /// A file of instructions was loaded.
        InstructionsLoaded = "InstructionsLoaded",
        /// The working directory was changed.
        CwdChanged = "CwdChanged",
        /// A watched file was changed.
        FileChanged = "FileChanged",
        /// A directory was added to those of the session.
        DirectoryAdded = "DirectoryAdded",
        /// Lines of an answer are about to be shown.
        MessageDisplay = "MessageDisplay",
    }
}

impl HookEventName {
    /// The name of a typed event.
    pub fn of<E: HookEvent>() -> Self {
        Self::from(E::NAME)
    }
}
