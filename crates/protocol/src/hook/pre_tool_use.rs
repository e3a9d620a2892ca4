//! `PreToolUse`: before a tool use.

use super::{HookReply, declare::hook_event};
use crate::{RawJson, ToolName, ToolUseId, permission::McpOrigin};

hook_event! {
    /// Before a tool use; a reply can allow, deny, defer or change it, or make the CLI ask for permission.
    ///
    /// The CLI calls all callbacks of the event concurrently; the strictest decision wins.
    /// A reply that ends the turn does not stop this tool use: it runs, and then the turn ends.
    PreToolUse => PreToolUseOutput, matched by "tool_name", refusal |reason| Some(HookReply::deny(reason)), also when late,
        adds context, can block;

    /// The input of `PreToolUse`.
    PreToolUseInput {
        /// The tool (`tool_name`); the start of a subagent is `Agent` here, even if the `assistant` message
        /// has `Task`.
        tool_name: ToolName,
        /// The tool input (`tool_input`).
        tool_input: RawJson,
        /// The tool use (`tool_use_id`).
        tool_use_id: ToolUseId,
        /// The MCP server of the tool (`mcp_server`); `None` for the CLI's own tools.
        mcp_server: Option<McpOrigin>,
    }
}

/// The event-specific output of `PreToolUse`.
#[wire(Default, camelCase)]
pub struct PreToolUseOutput {
    /// The decision (`permissionDecision`); `None` leaves it to the rules and the mode.
    pub permission_decision: Option<PermissionDecision>,
    /// The reason (`permissionDecisionReason`).
    pub permission_decision_reason: Option<String>,
    /// The input to use instead (`updatedInput`); without a decision the CLI asks for permission.
    pub updated_input: Option<RawJson>,
    /// Additional text for the model (`additionalContext`).
    pub additional_context: Option<String>,
}

impl HookReply<PreToolUse> {
    /// Returns a reply that allows the tool use without asking.
    ///
    /// To add a reason, set it in the output:
    ///
    /// ```
    /// use agentwire_protocol::hook::{HookReply, PreToolUse};
    ///
    /// let mut reply = HookReply::<PreToolUse>::allow();
    /// reply.output.get_or_insert_default().permission_decision_reason = Some("it only reads".to_owned());
    /// ```
    pub fn allow() -> Self {
        Self::decide(PermissionDecision::Allow, None)
    }

    /// Returns a reply that denies the tool use; the model sees the reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decide(PermissionDecision::Deny, Some(reason.into()))
    }

    /// Returns a reply that makes the CLI ask the host, even if a rule allows the tool use.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::decide(PermissionDecision::Ask, Some(reason.into()))
    }

    /// Returns a reply that defers the tool use: the turn ends, and its result contains the tool use
    /// (`deferred_tool_use`).
    ///
    /// A CLI that resumes the session calls the hooks for it again.
    /// It keeps one deferred tool use per turn, and can't resume those of subagents and of in-process MCP servers; see
    /// the guide `docs/deferring.md`.
    pub fn defer() -> Self {
        Self::decide(PermissionDecision::Defer, None)
    }

    /// Returns a reply that allows the tool use with this input instead.
    pub fn allow_with_input(input: RawJson) -> Self {
        Self::allow().with_input(input)
    }

    /// Sets the input to use instead; without a decision the CLI asks for permission.
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

/// A decision on a tool use.
#[wire]
pub enum PermissionDecision {
    /// Allow the tool use.
    Allow = "allow",
    /// Deny the tool use.
    Deny = "deny",
    /// Ask the host.
    Ask = "ask",
    /// End the turn, and let the host decide later.
    Defer = "defer",
}
