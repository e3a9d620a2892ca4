//! How what only one event can say is merged, event by event.

use agentwire_protocol::{
    elicitation::ElicitationAction,
    hook::{
        BlockDecision, ConfigChange, CwdChanged, DirectoryAdded, Elicitation, ElicitationResult, FileChanged,
        HookReply, InstructionsLoaded, MessageDisplay, Notification, PermissionDecision, PermissionDenied,
        PermissionRequest, PostCompact, PostModelSwitch, PostToolBatch, PostToolUse, PostToolUseFailure,
        PreCompact, PreModelSwitch, PreToolUse, RequestAllow, RequestDecision, RequestDeny, SessionEnd,
        SessionStart, Setup, Stop, StopFailure, SubagentStart, SubagentStop, SwitchDecision, TaskCompleted,
        TaskCreated, TeammateIdle, UserPromptExpansion, UserPromptSubmit, WorktreeRemove,
    },
};

use super::merge::{Changes, MergeOutput, Strictness, change, flag, list, text};

/// Merges the output of an event field by field, each by the function that is named before it.
macro_rules! merge_fields {
    ($event:ident { $( $how:ident $field:ident, )* }) => {
        impl MergeOutput for $event {
            fn merge_output(first: &mut Self::Output, later: Self::Output, _: Changes) -> Result<(), String> {
                $( $how(&mut first.$field, later.$field); )*
                Ok(())
            }
        }
    };
}

/// Events that have no output of their own: there is nothing to merge.
macro_rules! nothing_to_merge {
    ($($event:ident),* $(,)?) => {
        $( impl MergeOutput for $event {
            fn merge_output(_: &mut Self::Output, later: Self::Output, _: Changes) -> Result<(), String> {
                match later {}
            }
        } )*
    };
}

nothing_to_merge!(
    ConfigChange,
    DirectoryAdded,
    InstructionsLoaded,
    PostCompact,
    PreCompact,
    SessionEnd,
    StopFailure,
    TaskCompleted,
    TaskCreated,
    TeammateIdle,
    WorktreeRemove,
);
merge_fields!(CwdChanged { list watch_paths, });
merge_fields!(FileChanged { list watch_paths, });
merge_fields!(Notification { text additional_context, });
merge_fields!(PermissionDenied { flag retry, });
merge_fields!(PostModelSwitch { text additional_context, });
merge_fields!(PostToolBatch { text additional_context, });
merge_fields!(PostToolUseFailure { text additional_context, });
merge_fields!(Setup { text additional_context, });
merge_fields!(Stop { text additional_context, });
merge_fields!(SubagentStart { text additional_context, });
merge_fields!(SubagentStop { text additional_context, });
merge_fields!(UserPromptExpansion { text additional_context, flag suppress_original_prompt, });

impl MergeOutput for UserPromptSubmit {
    fn merge_output(first: &mut Self::Output, later: Self::Output, changes: Changes) -> Result<(), String> {
        text(&mut first.additional_context, later.additional_context);
        flag(&mut first.suppress_original_prompt, later.suppress_original_prompt);
        change(&mut first.session_title, later.session_title, changes, "sessionTitle")
    }
}

impl MergeOutput for SessionStart {
    fn merge_output(first: &mut Self::Output, later: Self::Output, changes: Changes) -> Result<(), String> {
        text(&mut first.additional_context, later.additional_context);
        flag(&mut first.reload_skills, later.reload_skills);
        list(&mut first.watch_paths, later.watch_paths);
        change(&mut first.session_title, later.session_title, changes, "sessionTitle")?;
        change(&mut first.initial_user_message, later.initial_user_message, changes, "initialUserMessage")
    }
}

impl MergeOutput for MessageDisplay {
    fn merge_output(first: &mut Self::Output, later: Self::Output, changes: Changes) -> Result<(), String> {
        change(&mut first.display_content, later.display_content, changes, "displayContent")
    }

    fn carry(input: &mut Self::Input, output: &Self::Output) {
        if let Some(text) = &output.display_content {
            input.delta.clone_from(text);
        }
    }
}

impl MergeOutput for PostToolUse {
    fn merge_output(first: &mut Self::Output, later: Self::Output, changes: Changes) -> Result<(), String> {
        text(&mut first.additional_context, later.additional_context);
        text(&mut first.classifier_context, later.classifier_context);
        change(&mut first.updated_tool_output, later.updated_tool_output, changes, "updatedToolOutput")?;
        let (one, other) = (&mut first.updated_mcp_tool_output, later.updated_mcp_tool_output);
        change(one, other, changes, "updatedMCPToolOutput")
    }

    fn carry(input: &mut Self::Input, output: &Self::Output) {
        if let Some(response) =
            output.updated_mcp_tool_output.as_ref().or(output.updated_tool_output.as_ref())
        {
            input.tool_response = response.clone();
        }
    }
}

impl MergeOutput for PreToolUse {
    fn merge_output(first: &mut Self::Output, later: Self::Output, changes: Changes) -> Result<(), String> {
        if Self::strictness(&later) > Self::strictness(first) {
            first.permission_decision = later.permission_decision;
            first.permission_decision_reason = later.permission_decision_reason;
        }
        text(&mut first.additional_context, later.additional_context);
        change(&mut first.updated_input, later.updated_input, changes, "updatedInput")
    }

    fn strictness(output: &Self::Output) -> Strictness {
        match &output.permission_decision {
            None => Strictness::Silent,
            Some(PermissionDecision::Allow) => Strictness::Allow,
            Some(PermissionDecision::Ask) => Strictness::Ask,
            Some(PermissionDecision::Deny) => Strictness::Deny,
            Some(_) => Strictness::Defer,
        }
    }

    fn carry(input: &mut Self::Input, output: &Self::Output) {
        if let Some(updated) = &output.updated_input {
            input.tool_input = updated.clone();
        }
    }

    fn settle(reply: &mut HookReply<Self>) {
        if let (Some(BlockDecision::Block), Some(output)) = (&reply.decision, &mut reply.output) {
            output.permission_decision = Some(PermissionDecision::Deny);
            output.permission_decision_reason.clone_from(&reply.reason);
        }
    }
}

impl MergeOutput for PreModelSwitch {
    fn merge_output(first: &mut Self::Output, later: Self::Output, _: Changes) -> Result<(), String> {
        if Self::strictness(&later) > Self::strictness(first) {
            *first = later;
        }
        Ok(())
    }

    fn strictness(output: &Self::Output) -> Strictness {
        match &output.permission_decision {
            None => Strictness::Silent,
            Some(SwitchDecision::Allow) => Strictness::Allow,
            Some(SwitchDecision::Ask) => Strictness::Ask,
            Some(SwitchDecision::Deny) => Strictness::Deny,
            Some(_) => Strictness::Defer,
        }
    }

    fn settle(reply: &mut HookReply<Self>) {
        if let (Some(BlockDecision::Block), Some(output)) = (&reply.decision, &mut reply.output) {
            output.permission_decision = Some(SwitchDecision::Deny);
            output.permission_decision_reason.clone_from(&reply.reason);
        }
    }
}

impl MergeOutput for PermissionRequest {
    fn merge_output(first: &mut Self::Output, later: Self::Output, changes: Changes) -> Result<(), String> {
        match (&mut first.decision, later.decision) {
            (RequestDecision::Allow(first), RequestDecision::Allow(later)) => {
                first.updated_permissions.extend(later.updated_permissions);
                change(&mut first.updated_input, later.updated_input, changes, "updatedInput")
            }
            (first, later) if rank(&later) > rank(first) => {
                *first = later;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn strictness(output: &Self::Output) -> Strictness {
        rank(&output.decision)
    }

    fn carry(input: &mut Self::Input, output: &Self::Output) {
        if let RequestDecision::Allow(RequestAllow { updated_input: Some(updated), .. }) = &output.decision {
            input.tool_input = updated.clone();
        }
    }

    fn settle(reply: &mut HookReply<Self>) {
        if let (Some(BlockDecision::Block), Some(output)) = (&reply.decision, &mut reply.output)
            && rank(&output.decision) != Strictness::Deny
        {
            let mut deny = RequestDeny::default();
            deny.message.clone_from(&reply.reason);
            output.decision = RequestDecision::Deny(deny);
        }
    }
}

fn rank(decision: &RequestDecision) -> Strictness {
    match decision {
        RequestDecision::Allow(_) => Strictness::Allow,
        RequestDecision::Deny(_) => Strictness::Deny,
        _ => Strictness::Defer,
    }
}

impl MergeOutput for Elicitation {
    fn merge_output(first: &mut Self::Output, later: Self::Output, changes: Changes) -> Result<(), String> {
        change(&mut first.action, later.action, changes, "action")?;
        change(&mut first.content, later.content, changes, "content")
    }

    fn strictness(output: &Self::Output) -> Strictness {
        of_action(output.action.as_ref())
    }
}

impl MergeOutput for ElicitationResult {
    fn merge_output(first: &mut Self::Output, later: Self::Output, changes: Changes) -> Result<(), String> {
        change(&mut first.action, later.action, changes, "action")?;
        change(&mut first.content, later.content, changes, "content")
    }

    fn strictness(output: &Self::Output) -> Strictness {
        of_action(output.action.as_ref())
    }

    fn carry(input: &mut Self::Input, output: &Self::Output) {
        if let Some(action) = &output.action {
            input.action = action.clone();
        }
        if output.content.is_some() {
            input.content.clone_from(&output.content);
        }
    }
}

/// To decline a question is to refuse what it asks for.
fn of_action(action: Option<&ElicitationAction>) -> Strictness {
    match action {
        None => Strictness::Silent,
        Some(ElicitationAction::Accept) => Strictness::Allow,
        Some(_) => Strictness::Deny,
    }
}
