//! Rejects values that the CLI refuses or treats in a way that was not intended, before anything starts.

use uuid::fmt::Hyphenated;

use super::{Options, Skills, SystemPrompt, permission_bypass::rules_of, refuse};
use crate::Error;

/// Refuses the first option with a condition that holds.
macro_rules! refuse_if {
    ($($condition:expr => $option:literal: $why:literal;)+) => {
        $(if $condition {
            return refuse($option, $why);
        })+
    };
}

impl Options {
    /// Rejects values that the CLI refuses, as tested with 2.1.330 and 2.1.197.
    pub(super) fn check(&self) -> Result<(), Error> {
        let is_empty = |text: &Option<String>| text.as_deref() == Some("");
        let has_empty = |rules: &[String]| rules.iter().any(|rule| rule.trim().is_empty());
        // The CLI drops such a rule without an error, or reads the following rules as a part of it.
        let has_unread = |rules: &[String]| rules.iter().any(|text| rules_of(text).any(|rule| rule.is_err()));
        let is_copied = (self.resume.is_none() && !self.continue_last) || self.fork_session;
        refuse_if! {
            is_empty(&self.model) => "model": "it is empty; leave it out for the CLI's default";
            // The CLI treats 0 as "no limit", so 0 is rejected.
            self.max_turns == Some(0) => "maxTurns": "it must be at least 1; leave it out for no limit";
            self.max_budget_usd.is_some_and(|budget| !(budget > 0.0 && budget.is_finite())) => "maxBudgetUsd": "it must be a number greater than 0";
            self.task_budget.is_some_and(|budget| budget.total == 0) => "taskBudget": "`total` must be at least 1";
            is_empty(&self.resume) => "resume": "it is empty; leave it out for a new session";
            self.session_id.as_deref().is_some_and(|id| id.parse::<Hyphenated>().is_err()) => "sessionId": "it must be a UUID";
            self.session_id.is_some() && !is_copied => "sessionId": "with `resume` or `continue` it needs `forkSession` too";
            self.resume_session_at.is_some() && self.resume.is_none() => "resumeSessionAt": "it needs `resume`";
            self.resume_drops_turn.is_some() && self.resume_session_at.is_none() => "resumeDropsTurn": "it needs `resumeSessionAt`";
            matches!(&self.system_prompt, SystemPrompt::File(path) if path.as_os_str().is_empty()) => "systemPrompt": "the path is empty";
            is_empty(&self.permission_prompt_tool_name) => "permissionPromptToolName": "it is empty";
            has_empty(&self.allowed_tools) => "allowedTools": "a rule is empty";
            has_empty(&self.disallowed_tools) => "disallowedTools": "a rule is empty";
            has_unread(&self.allowed_tools) => "allowedTools": "the CLI would not read a rule; write it as `Tool` or `Tool(content)`, and in `settings` if its content has a `)`";
            has_unread(&self.disallowed_tools) => "disallowedTools": "the CLI would not read a rule; write it as `Tool` or `Tool(content)`, and in `settings` if its content has a `)`";
            matches!(&self.skills, Some(Skills::Named(names)) if !names.iter().all(|name| is_skill(name))) => "skills": "a name is empty, or has a blank around it, a `/` in front, a control character, or one of `(),*\\`; write it as `pdf` or `plugin:skill`";
            self.max_buffer_size == Some(0) => "maxBufferSize": "it must be at least 1";
            self.project_config_root.as_ref().is_some_and(|root| !root.is_absolute()) => "projectConfigRoot": "it must be an absolute path";
            self.trace_context.as_ref().is_some_and(|trace| !trace.is_well_formed()) => "traceContext": "`traceparent` must be VERSION-TRACE-SPAN-FLAGS in lower-case hexadecimal digits";
        }
        Ok(())
    }
}

/// Returns whether a skill may have this name, which becomes a part of a permission rule.
fn is_skill(name: &str) -> bool {
    let is_special = |char: char| char.is_control() || "(),*\\".contains(char);
    !name.is_empty() && name.trim() == name && !name.starts_with('/') && !name.contains(is_special)
}
