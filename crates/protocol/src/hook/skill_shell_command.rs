//! `PreSkillShellCommand`: before a shell command in the text of a skill or slash command.

use super::{HookReply, PermissionDecision, declare::hook_event};
use crate::{ToolName, ToolUseId};

hook_event! {
    /// Before a shell command in the text of a skill or slash command (a line such as `` !`git status` ``) runs.
    ///
    /// No `PreToolUse` hook is called for such a command. A block prevents the command, and the text continues without
    /// its output. Known since CLI 2.1.332, on which this was measured; earlier versions run the command without any
    /// hook.
    PreSkillShellCommand => PreSkillShellCommandOutput, matched by "tool_name", refusal |reason| Some(HookReply::block(reason)), also when late,
        can block;

    /// The input of `PreSkillShellCommand`.
    PreSkillShellCommandInput {
        /// The shell tool that runs the command: `Bash` or `PowerShell` (`tool_name`).
        tool_name: ToolName,
        /// The input of that tool (`tool_input`).
        tool_input: SkillShellCommand,
        /// The id of the command, which is not the id of a tool use (`tool_use_id`).
        tool_use_id: ToolUseId,
        /// The name of the skill or slash command (`command_name`).
        command_name: Box<str>,
        /// The source of the skill or slash command, such as `projectSettings` (`command_source`).
        command_source: Option<Box<str>>,
        /// The initiator (`invoked_by`).
        invoked_by: Option<SkillInvoker>,
    }
}

/// A shell command in the text of a skill or slash command.
#[wire]
pub struct SkillShellCommand {
    /// The command, with its arguments filled in (`command`).
    pub command: String,
}

/// The event-specific output of `PreSkillShellCommand`.
#[wire(Default, camelCase)]
pub struct PreSkillShellCommandOutput {
    /// The decision (`permissionDecision`); anything but `allow` prevents the command.
    pub permission_decision: Option<PermissionDecision>,
    /// The reason (`permissionDecisionReason`).
    pub permission_decision_reason: Option<String>,
}

/// The initiator of a skill or slash command.
#[wire]
pub enum SkillInvoker {
    /// The user, or a prompt of the host.
    User = "user",
    /// The model, or a scheduled turn.
    Claude = "claude",
    /// Any other, such as a subagent's configuration.
    Other = "other",
}
