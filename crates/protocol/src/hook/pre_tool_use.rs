//! Before a tool is used: `PreToolUse`.

use serde::{Deserialize, Serialize};

use super::{CanBlock, HookReply, ability::adds_context, declare::hook_event};
use crate::{RawJson, ToolName, ToolUseId, open_enum::open_enum, permission::McpOrigin};

hook_event! {
    /// Before a tool is used: the use may be allowed, refused, asked about, put off, or changed.
    ///
    /// All callbacks of the event are asked at once, and of their decisions the strictest wins.
    /// A reply that ends the turn does not stop this tool use: it runs, and then the turn ends.
    PreToolUse => PreToolUseOutput, matched by "tool_name", refusal |reason| Some(HookReply::deny(reason)), also when late;

    /// What `PreToolUse` tells.
    PreToolUseInput {
        /// The tool (`tool_name`); a subagent's start is `Agent` here and `Task` in the `assistant` message.
        tool_name: ToolName,
        /// Its input (`tool_input`).
        tool_input: RawJson,
        /// The tool use (`tool_use_id`).
        tool_use_id: ToolUseId,
        /// The MCP server that the tool belongs to (`mcp_server`); `None` for tools of the CLI's own.
        mcp_server: Option<McpOrigin>,
    }
}

/// What only `PreToolUse` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PreToolUseOutput {
    /// What happens to the tool use (`permissionDecision`); `None` leaves it to the rules and the mode.
    pub permission_decision: Option<PermissionDecision>,
    /// Why (`permissionDecisionReason`).
    pub permission_decision_reason: Option<String>,
    /// The input to use instead (`updatedInput`); without a decision it is asked about.
    pub updated_input: Option<RawJson>,
    /// Text for the model (`additionalContext`).
    pub additional_context: Option<String>,
}

adds_context!(PreToolUse);
impl CanBlock for PreToolUse {}

impl HookReply<PreToolUse> {
    /// The tool may be used, without a further question.
    pub fn allow() -> Self {
        Self::decide(PermissionDecision::Allow, None)
    }

    /// The tool may not be used; the model is told why.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decide(PermissionDecision::Deny, Some(reason.into()))
    }

    /// The host is asked, even where a rule allows the use.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::decide(PermissionDecision::Ask, Some(reason.into()))
    }

    /// The tool is not used now: the turn ends, and its result names the tool use (`deferred_tool_use`).
    ///
    /// The CLI that resumes the session asks the hooks for it again.
    /// It keeps one deferred tool use of a turn, and can't resume those of subagents and of in-process MCP servers; see
    /// the guide `docs/hooks.md`.
    pub fn defer() -> Self {
        Self::decide(PermissionDecision::Defer, None)
    }

    /// The tool may be used with this input instead.
    pub fn allow_with_input(input: RawJson) -> Self {
        Self::allow().with_input(input)
    }

    /// The same reply, and the tool is used with this input instead; without a decision it is asked about.
    #[must_use]
    pub fn with_input(mut self, input: RawJson) -> Self {
        self.output.get_or_insert_default().updated_input = Some(input);
        self
    }

    fn decide(decision: PermissionDecision, reason: Option<String>) -> Self {
        Self::output(PreToolUseOutput {
            permission_decision: Some(decision),
            permission_decision_reason: reason,
            ..PreToolUseOutput::default()
        })
    }
}

open_enum! {
    /// What happens to a tool use.
    pub enum PermissionDecision {
        /// It goes ahead.
        Allow = "allow",
        /// It is refused.
        Deny = "deny",
        /// The host is asked.
        Ask = "ask",
        /// The turn ends, and the host decides later.
        Defer = "defer",
    }
}
