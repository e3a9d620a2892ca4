//! `can_use_tool`: a permission request for a tool use.

use crate::{
    RawJson, ToolName, ToolUseId,
    permission::{Allow, DecisionClassification, DecisionReason, McpOrigin, PermissionUpdate},
};

/// A permission request for a tool use (`can_use_tool`).
///
/// Sent with `--permission-prompt-tool=stdio` if neither a rule nor the mode decides.
/// The CLI treats an error reply or an invalid reply as a denial.
#[wire]
pub struct CanUseTool {
    /// The tool (`tool_name`).
    pub tool_name: ToolName,
    /// The tool input (`input`); [`typed_input`](Self::typed_input) decodes it for the CLI's own tools.
    pub input: RawJson,
    /// The tool use (`tool_use_id`).
    pub tool_use_id: ToolUseId,
    /// The tool's display name (`display_name`).
    pub display_name: Option<Box<str>>,
    /// A heading for the request (`title`).
    pub title: Option<Box<str>>,
    /// The purpose of the tool use, in the model's words (`description`).
    pub description: Option<String>,
    /// Suggested changes to avoid the question next time (`permission_suggestions`); often absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permission_suggestions: Vec<PermissionUpdate>,
    /// The path that caused the request (`blocked_path`).
    pub blocked_path: Option<String>,
    /// The reason, for a person; may contain terminal escapes (`decision_reason`).
    pub decision_reason: Option<String>,
    /// The reason, for a program (`decision_reason_type`).
    pub decision_reason_type: Option<DecisionReason>,
    /// The source of the rule that caused the request (`decision_reason_rule_source`). Not declared, seen on the wire.
    pub decision_reason_rule_source: Option<Box<str>>,
    /// The event of the hook that caused the request (`decision_reason_hook_event`). Not declared, seen on the wire.
    pub decision_reason_hook_event: Option<Box<str>>,
    /// The source of that hook (`decision_reason_hook_source`). Not declared, seen on the wire.
    pub decision_reason_hook_source: Option<Box<str>>,
    /// Whether a classifier may decide the safety check that caused the request (`classifier_approvable`).
    ///
    /// `Some(false)` if a person must decide; absent if the reason contains no safety check.
    pub classifier_approvable: Option<bool>,
    /// Whether the host must not offer to remember an approval (`suppress_always_allow_rule`).
    pub suppress_always_allow_rule: Option<bool>,
    /// Whether a denial should be the default choice, so that a stray key does not approve (`default_to_no`).
    pub default_to_no: Option<bool>,
    /// The user's rule that caused the request, if the reason is a different one (`matched_ask_rule`).
    pub matched_ask_rule: Option<MatchedAskRule>,
    /// The requesting subagent (`agent_id`); `None` for the main conversation.
    pub agent_id: Option<Box<str>>,
    /// The MCP server of the tool (`mcp_server`); `None` for the CLI's own tools.
    pub mcp_server: Option<McpOrigin>,
    /// Whether only a policy of the server caused the request (`server_policy_ask_only`). Not declared, seen on
    /// the wire.
    pub server_policy_ask_only: Option<bool>,
    /// Whether only a person can answer, for example a question of the model (`requires_user_interaction`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_user_interaction: bool,
}

impl CanUseTool {
    /// Returns whether a person should decide, so that a program must not allow the tool use on its own.
    ///
    /// This is the case if only a person can answer, if a rule of the user or a hook asks, if an approval must not be
    /// the default, or if a safety check requires a person.
    pub fn wants_a_person(&self) -> bool {
        let asked_for = [DecisionReason::Rule, DecisionReason::Hook, DecisionReason::SafetyCheck];
        self.requires_user_interaction
            || self.matched_ask_rule.is_some()
            || self.default_to_no == Some(true)
            || self.classifier_approvable == Some(false)
            || self.decision_reason_type.as_ref().is_some_and(|reason| asked_for.contains(reason))
    }

    /// Returns a decision that allows the tool use and applies all suggested changes.
    ///
    /// They may go beyond a rule, such as another mode: show them first.
    /// Returns `None` if there are no suggestions, or if an approval must not be remembered.
    pub fn allow_always(&self) -> Option<Allow> {
        if self.permission_suggestions.is_empty() || self.suppress_always_allow_rule == Some(true) {
            return None;
        }
        let mut allow = Allow::new().updates(self.permission_suggestions.iter().cloned());
        allow.decision_classification = Some(DecisionClassification::UserPermanent);
        Some(allow)
    }
}

/// A rule of the user that requires asking (`matched_ask_rule`).
#[wire(Eq)]
pub struct MatchedAskRule {
    /// The settings that contain the rule (`source`).
    pub source: Box<str>,
    /// The tool (`tool_name`).
    pub tool_name: ToolName,
    /// The content of the rule (`rule_content`); `None` for all uses of the tool.
    pub rule_content: Option<String>,
}
