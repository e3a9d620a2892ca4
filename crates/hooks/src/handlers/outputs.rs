//! How what only one event can say is merged, event by event.

use agentwire_protocol::{
    elicitation::ElicitationAction,
    hook::{
        BlockDecision, CwdChanged, CwdChangedOutput, Elicitation, ElicitationOutput, ElicitationResult,
        ElicitationResultInput, ElicitationResultOutput, FileChanged, FileChangedOutput, HookReply,
        MessageDisplay, MessageDisplayInput, MessageDisplayOutput, Notification, NotificationOutput,
        PermissionDecision, PermissionDenied, PermissionDeniedOutput, PermissionRequest,
        PermissionRequestInput, PermissionRequestOutput, PostModelSwitch, PostModelSwitchOutput,
        PostToolBatch, PostToolBatchOutput, PostToolUse, PostToolUseFailure, PostToolUseFailureOutput,
        PostToolUseInput, PostToolUseOutput, PreModelSwitch, PreModelSwitchOutput, PreToolUse,
        PreToolUseInput, PreToolUseOutput, RequestAllow, RequestDecision, RequestDeny, SessionStart,
        SessionStartOutput, Setup, SetupOutput, Stop, StopOutput, SubagentStart, SubagentStartOutput,
        SubagentStop, SubagentStopOutput, SwitchDecision, UserPromptExpansion, UserPromptExpansionOutput,
        UserPromptSubmit, UserPromptSubmitOutput,
    },
};

use super::merge::{Changes, MergeOutput, Strictness, change, flag, list, text};

/// Merges the output of an event field by field, each by the function that is named before it.
macro_rules! merge_fields {
    ($event:ident: $output:ident { $( $how:ident $field:ident, )* }) => {
        impl MergeOutput<$event> for $output {
            fn merge_output(&mut self, later: Self, _: Changes) -> Result<(), String> {
                $( $how(&mut self.$field, later.$field); )*
                Ok(())
            }
        }
    };
}

merge_fields!(CwdChanged: CwdChangedOutput { list watch_paths, });
merge_fields!(FileChanged: FileChangedOutput { list watch_paths, });
merge_fields!(Notification: NotificationOutput { text additional_context, });
merge_fields!(PermissionDenied: PermissionDeniedOutput { flag retry, });
merge_fields!(PostModelSwitch: PostModelSwitchOutput { text additional_context, });
merge_fields!(PostToolBatch: PostToolBatchOutput { text additional_context, });
merge_fields!(PostToolUseFailure: PostToolUseFailureOutput { text additional_context, });
merge_fields!(Setup: SetupOutput { text additional_context, });
merge_fields!(Stop: StopOutput { text additional_context, });
merge_fields!(SubagentStart: SubagentStartOutput { text additional_context, });
merge_fields!(SubagentStop: SubagentStopOutput { text additional_context, });
merge_fields!(UserPromptExpansion: UserPromptExpansionOutput { text additional_context, flag suppress_original_prompt, });

impl MergeOutput<UserPromptSubmit> for UserPromptSubmitOutput {
    fn merge_output(&mut self, later: Self, changes: Changes) -> Result<(), String> {
        text(&mut self.additional_context, later.additional_context);
        flag(&mut self.suppress_original_prompt, later.suppress_original_prompt);
        change(&mut self.session_title, later.session_title, changes, "sessionTitle")
    }
}

impl MergeOutput<SessionStart> for SessionStartOutput {
    fn merge_output(&mut self, later: Self, changes: Changes) -> Result<(), String> {
        text(&mut self.additional_context, later.additional_context);
        flag(&mut self.reload_skills, later.reload_skills);
        list(&mut self.watch_paths, later.watch_paths);
        change(&mut self.session_title, later.session_title, changes, "sessionTitle")?;
        change(&mut self.initial_user_message, later.initial_user_message, changes, "initialUserMessage")
    }
}

impl MergeOutput<MessageDisplay> for MessageDisplayOutput {
    fn merge_output(&mut self, later: Self, changes: Changes) -> Result<(), String> {
        change(&mut self.display_content, later.display_content, changes, "displayContent")
    }

    fn carry(&self, input: &mut MessageDisplayInput) {
        if let Some(text) = &self.display_content {
            input.delta.clone_from(text);
        }
    }
}

impl MergeOutput<PostToolUse> for PostToolUseOutput {
    fn merge_output(&mut self, later: Self, changes: Changes) -> Result<(), String> {
        text(&mut self.additional_context, later.additional_context);
        text(&mut self.classifier_context, later.classifier_context);
        change(&mut self.updated_tool_output, later.updated_tool_output, changes, "updatedToolOutput")?;
        let (one, other) = (&mut self.updated_mcp_tool_output, later.updated_mcp_tool_output);
        change(one, other, changes, "updatedMCPToolOutput")
    }

    fn carry(&self, input: &mut PostToolUseInput) {
        if let Some(response) = self.updated_mcp_tool_output.as_ref().or(self.updated_tool_output.as_ref()) {
            input.tool_response = response.clone();
        }
    }
}

impl MergeOutput<PreToolUse> for PreToolUseOutput {
    fn merge_output(&mut self, later: Self, changes: Changes) -> Result<(), String> {
        if later.strictness() > self.strictness() {
            self.permission_decision = later.permission_decision;
            self.permission_decision_reason = later.permission_decision_reason;
        }
        text(&mut self.additional_context, later.additional_context);
        change(&mut self.updated_input, later.updated_input, changes, "updatedInput")
    }

    fn strictness(&self) -> Strictness {
        match &self.permission_decision {
            None => Strictness::Silent,
            Some(PermissionDecision::Allow) => Strictness::Allow,
            Some(PermissionDecision::Ask) => Strictness::Ask,
            Some(PermissionDecision::Deny) => Strictness::Deny,
            Some(_) => Strictness::Defer,
        }
    }

    fn carry(&self, input: &mut PreToolUseInput) {
        if let Some(updated) = &self.updated_input {
            input.tool_input = updated.clone();
        }
    }

    fn settle(reply: &mut HookReply<PreToolUse>) {
        if let (Some(BlockDecision::Block), Some(output)) = (&reply.decision, &mut reply.output) {
            output.permission_decision = Some(PermissionDecision::Deny);
            output.permission_decision_reason.clone_from(&reply.reason);
        }
    }
}

impl MergeOutput<PreModelSwitch> for PreModelSwitchOutput {
    fn merge_output(&mut self, later: Self, _: Changes) -> Result<(), String> {
        if later.strictness() > self.strictness() {
            *self = later;
        }
        Ok(())
    }

    fn strictness(&self) -> Strictness {
        match &self.permission_decision {
            None => Strictness::Silent,
            Some(SwitchDecision::Allow) => Strictness::Allow,
            Some(SwitchDecision::Ask) => Strictness::Ask,
            Some(SwitchDecision::Deny) => Strictness::Deny,
            Some(_) => Strictness::Defer,
        }
    }

    fn settle(reply: &mut HookReply<PreModelSwitch>) {
        if let (Some(BlockDecision::Block), Some(output)) = (&reply.decision, &mut reply.output) {
            output.permission_decision = Some(SwitchDecision::Deny);
            output.permission_decision_reason.clone_from(&reply.reason);
        }
    }
}

impl MergeOutput<PermissionRequest> for PermissionRequestOutput {
    fn merge_output(&mut self, later: Self, changes: Changes) -> Result<(), String> {
        match (&mut self.decision, later.decision) {
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

    fn strictness(&self) -> Strictness {
        rank(&self.decision)
    }

    fn carry(&self, input: &mut PermissionRequestInput) {
        if let RequestDecision::Allow(RequestAllow { updated_input: Some(updated), .. }) = &self.decision {
            input.tool_input = updated.clone();
        }
    }

    fn settle(reply: &mut HookReply<PermissionRequest>) {
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

impl MergeOutput<Elicitation> for ElicitationOutput {
    fn merge_output(&mut self, later: Self, changes: Changes) -> Result<(), String> {
        change(&mut self.action, later.action, changes, "action")?;
        change(&mut self.content, later.content, changes, "content")
    }

    fn strictness(&self) -> Strictness {
        of_action(self.action.as_ref())
    }
}

impl MergeOutput<ElicitationResult> for ElicitationResultOutput {
    fn merge_output(&mut self, later: Self, changes: Changes) -> Result<(), String> {
        change(&mut self.action, later.action, changes, "action")?;
        change(&mut self.content, later.content, changes, "content")
    }

    fn strictness(&self) -> Strictness {
        of_action(self.action.as_ref())
    }

    fn carry(&self, input: &mut ElicitationResultInput) {
        if let Some(action) = &self.action {
            input.action = action.clone();
        }
        if self.content.is_some() {
            input.content.clone_from(&self.content);
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
