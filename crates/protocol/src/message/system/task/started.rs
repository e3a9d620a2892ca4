//! `system/task_started`: a task begins.

use serde::{Deserialize, Serialize};

use crate::{SessionId, ToolUseId, Uuid};

/// A subagent, a command or another task begins (`system/task_started`).
///
/// A command in the shell becomes a task once it takes some seconds, or when it runs in the background.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TaskStarted {
    /// The task; a subagent that is resumed keeps it.
    #[serde(default)]
    pub task_id: Box<str>,
    /// This run of the task: runs of one task sort by it, as text.
    pub run_id: Option<Box<str>>,
    /// The tool use that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// What it does, in a few words.
    #[serde(default)]
    pub description: String,
    /// The kind of subagent.
    pub subagent_type: Option<Box<str>>,
    /// Whether it runs in the background from the start; for subagents and commands.
    pub is_backgrounded: Option<bool>,
    /// How deep the subagent is nested: 1 below the main conversation.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub spawn_depth: Option<u64>,
    /// The subagent's task that started this one.
    pub parent_task_id: Option<Box<str>>,
    /// Whether a subagent started it.
    /// Not declared, seen on the wire.
    pub owned_by_subagent: Option<bool>,
    /// What kind of task it is, such as `local_agent` or `local_bash`.
    pub task_type: Option<Box<str>>,
    /// The workflow's name; for the type `local_workflow`.
    pub workflow_name: Option<Box<str>>,
    /// What it was asked.
    pub prompt: Option<String>,
    /// Whether it is housekeeping that a conversation should not show.
    pub skip_transcript: Option<bool>,
    /// Whether it is no activity to be waited for, such as a watcher.
    pub ambient: Option<bool>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
