//! `can_use_tool`: may the model use this tool?

use serde::{Deserialize, Serialize};

use super::InboundCall;
use crate::{
    RawJson, ToolName, ToolUseId,
    permission::{Allow, Decision, DecisionClassification, DecisionReason, McpOrigin, PermissionUpdate},
};

/// May the model use this tool (`can_use_tool`)?
///
/// Sent with `--permission-prompt-tool=stdio` where neither a rule nor the mode decides.
/// An error reply or an invalid one is a denial.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CanUseTool {
    /// The tool (`tool_name`).
    pub tool_name: ToolName,
    /// Its input (`input`).
    pub input: RawJson,
    /// The tool use (`tool_use_id`).
    pub tool_use_id: ToolUseId,
    /// The tool's name for people (`display_name`).
    pub display_name: Option<Box<str>>,
    /// A heading for the question (`title`).
    pub title: Option<Box<str>>,
    /// What the tool use is for, in the model's words (`description`).
    pub description: Option<String>,
    /// Changes that would make the question needless next time (`permission_suggestions`); often absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permission_suggestions: Vec<PermissionUpdate>,
    /// The path that made the question needful (`blocked_path`).
    pub blocked_path: Option<String>,
    /// Why it is asked, for a person; may hold terminal escapes (`decision_reason`).
    pub decision_reason: Option<String>,
    /// Why it is asked, for a program (`decision_reason_type`).
    pub decision_reason_type: Option<DecisionReason>,
    /// Where the rule comes from that made it ask (`decision_reason_rule_source`). Not declared, seen on the wire.
    pub decision_reason_rule_source: Option<Box<str>>,
    /// The event of the hook that made it ask (`decision_reason_hook_event`). Not declared, seen on the wire.
    pub decision_reason_hook_event: Option<Box<str>>,
    /// Where that hook comes from (`decision_reason_hook_source`). Not declared, seen on the wire.
    pub decision_reason_hook_source: Option<Box<str>>,
    /// Whether a classifier may settle the safety check that made it ask (`classifier_approvable`).
    ///
    /// `Some(false)` where a person must; absent where no safety check is part of the reason.
    pub classifier_approvable: Option<bool>,
    /// Whether the host must not offer to remember an approval (`suppress_always_allow_rule`).
    pub suppress_always_allow_rule: Option<bool>,
    /// Whether an approval must not be what a stray key gives (`default_to_no`).
    pub default_to_no: Option<bool>,
    /// The rule of the user's that made it ask, where another reason is told (`matched_ask_rule`).
    pub matched_ask_rule: Option<MatchedAskRule>,
    /// The subagent that wants it (`agent_id`); `None` for the main conversation.
    pub agent_id: Option<Box<str>>,
    /// The MCP server that the tool belongs to (`mcp_server`); `None` for tools of the CLI's own.
    pub mcp_server: Option<McpOrigin>,
    /// Whether a policy of the server's alone made it ask (`server_policy_ask_only`). Not declared, seen on the wire.
    pub server_policy_ask_only: Option<bool>,
    /// Whether only a person can answer, as with a question of the model's (`requires_user_interaction`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_user_interaction: bool,
}

impl CanUseTool {
    /// Whether a program must not allow it by itself, as the question is meant for a person.
    ///
    /// It is where only a person can answer, where a rule of the user's or a hook asks, where an approval must not be
    /// given lightly, and where a safety check wants a person.
    pub fn wants_a_person(&self) -> bool {
        let asked_for = [DecisionReason::Rule, DecisionReason::Hook, DecisionReason::SafetyCheck];
        self.requires_user_interaction
            || self.matched_ask_rule.is_some()
            || self.default_to_no == Some(true)
            || self.classifier_approvable == Some(false)
            || self.decision_reason_type.as_ref().is_some_and(|reason| asked_for.contains(reason))
    }

    /// The allowance that makes the question needless next time, by all changes that were suggested.
    ///
    /// They may be more than a rule, such as another mode: show them first.
    /// `None` where nothing was suggested, and where an approval must not be remembered.
    pub fn allow_always(&self) -> Option<Allow> {
        if self.permission_suggestions.is_empty() || self.suppress_always_allow_rule == Some(true) {
            return None;
        }
        let mut allow = Allow::new().updates(self.permission_suggestions.iter().cloned());
        allow.decision_classification = Some(DecisionClassification::UserPermanent);
        Some(allow)
    }
}

impl InboundCall for CanUseTool {
    const SUBTYPE: &'static str = "can_use_tool";
    type Reply = Decision;
}

/// A rule of the user's that asks (`matched_ask_rule`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MatchedAskRule {
    /// The settings that it stands in (`source`).
    pub source: Box<str>,
    /// The tool (`tool_name`).
    pub tool_name: ToolName,
    /// What of it (`rule_content`); `None` for all.
    pub rule_content: Option<String>,
}
