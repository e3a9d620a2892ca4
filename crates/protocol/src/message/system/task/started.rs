//! `system/task_started`: a task started.

use crate::ToolUseId;

/// A subagent, a command or another task started (`system/task_started`).
///
/// A shell command becomes a task after some seconds, or if it runs in the background.
#[wire(tolerant, message)]
pub struct TaskStarted {
    /// The task id; a resumed subagent keeps it.
    pub task_id: Box<str>,
    /// The id of this run; the runs of one task sort by it, as text.
    pub run_id: Option<Box<str>>,
    /// The tool use that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// A short description.
    pub description: String,
    /// The subagent type.
    pub subagent_type: Option<Box<str>>,
    /// Whether it runs in the background from the start; for subagents and commands.
    pub is_backgrounded: Option<bool>,
    /// The nesting depth of the subagent: 1 below the main conversation.
    pub spawn_depth: Option<u64>,
    /// The task of the subagent that started this one.
    pub parent_task_id: Option<Box<str>>,
    /// Whether a subagent started it.
    /// Not declared, seen on the wire.
    pub owned_by_subagent: Option<bool>,
    /// The kind of task, such as `local_agent` or `local_bash`.
    pub task_type: Option<Box<str>>,
    /// The name of the workflow; for the type `local_workflow`.
    pub workflow_name: Option<Box<str>>,
    /// The prompt.
    pub prompt: Option<String>,
    /// Whether it is housekeeping that should not be shown in a conversation.
    pub skip_transcript: Option<bool>,
    /// Whether it is an ambient activity that need not be waited for, such as a watcher.
    pub ambient: Option<bool>,
}
