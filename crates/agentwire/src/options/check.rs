//! Rejects values that the CLI refuses or treats in a way that was not intended, before anything starts.

use agentwire_hooks::normalized;
use agentwire_protocol::{agent::AgentMcpServer, mcp::McpServerConfig};
use uuid::fmt::Hyphenated;

use super::{Options, Skills, SystemPrompt, permission_bypass::rules_of, refuse};
use crate::Error;

/// Refuses the first option with a condition that holds.
macro_rules! refuse_if {
    ($($condition:expr => $option:tt: $why:literal;)+) => {
        $(if $condition {
            return refuse($option, $why);
        })+
    };
}

impl Options {
    /// Rejects values that the CLI refuses, as tested with 2.1.330 and 2.1.197.
    pub(super) fn check(&self) -> Result<(), Error> {
        let is_empty = |text: &Option<String>| text.as_deref() == Some("");
        let lists = [("allowedTools", &self.allowed_tools), ("disallowedTools", &self.disallowed_tools)];
        for (option, list) in lists {
            let rules = || list.iter().flat_map(|text| rules_of(text));
            refuse_if! {
                list.iter().any(|text| text.trim().is_empty()) => option: "a rule is empty";
                // The CLI drops such a rule without an error, or reads the following rules as a part of it.
                rules().any(|rule| rule.is_err()) => option: "the CLI would not read a rule; write it as `Tool` or `Tool(content)`, and in `settings` if its content has a `)`";
                // The CLI replaces characters in the names of MCP tools, but not in rules. A blank or a comma ends a
                // rule, so the rest of an MCP tool's name becomes a rule of its own.
                rules().flatten().any(|rule| !rule.tool_name.starts_with("mcp__") && rule.tool_name.contains("__") || normalized(&rule.tool_name, "*") != *rule.tool_name) => option: "a rule matches no MCP tool; write `_` in it for each character of the server's and the tool's names but ASCII letters, digits, `_` and `-`";
            }
        }
        let is_in_process = |server: &McpServerConfig| matches!(server, McpServerConfig::Sdk(_));
        let mut of_agents = self.agents.values().flat_map(|agent| &agent.mcp_servers);
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
            matches!(&self.skills, Some(Skills::Named(names)) if !names.iter().all(|name| is_skill(name))) => "skills": "a name is empty, or has a blank around it, a `/` in front, a control character, or one of `(),*\\`; write it as `pdf` or `plugin:skill`";
            self.mcp_servers.values().any(is_in_process) => "mcpServers": "a server in this program goes to `SessionBuilder::mcp_servers`";
            // The CLI ignores such a server, and the agent's model makes up the results of its tools.
            of_agents.any(|servers| matches!(servers, AgentMcpServer::Inline(own) if own.values().any(is_in_process))) => "agents": "a server in this program goes to `SessionBuilder::mcp_servers`; if the agent has a list of `tools`, add `mcp__NAME` to it";
            self.max_buffer_size == Some(0) => "maxBufferSize": "it must be at least 1";
            self.project_config_root.as_ref().is_some_and(|root| !root.is_absolute()) => "projectConfigRoot": "it must be an absolute path";
            self.trace_context.as_ref().is_some_and(|trace| !trace.is_well_formed()) => "traceContext": "`traceparent` must be VERSION-TRACE-SPAN-FLAGS in lower-case hexadecimal digits, with ids other than zero";
        }
        Ok(())
    }
}

/// Returns whether a skill may have this name, which becomes a part of a permission rule.
fn is_skill(name: &str) -> bool {
    let is_special = |char: char| char.is_control() || "(),*\\".contains(char);
    !name.is_empty() && name.trim() == name && !name.starts_with('/') && !name.contains(is_special)
}
