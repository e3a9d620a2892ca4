//! The response to `can_use_tool`.

use super::{DecisionClassification, PermissionUpdate};
use crate::{RawJson, ToolUseId, forms::from_payloads};

/// The response to `can_use_tool`.
///
/// There is no default: a caller decides explicitly.
#[wire(tag = "behavior")]
pub enum Decision {
    /// Allows the tool use.
    Allow(Allow) = "allow",
    /// Denies the tool use.
    Deny(Deny) = "deny",
}

impl Decision {
    /// Allows the tool use unchanged; see [`Allow`] for further options.
    pub fn allow() -> Self {
        Self::Allow(Allow::new())
    }

    /// Allows the tool use with this input; the `assistant` message keeps the original input.
    ///
    /// The CLI validates the input against the tool's schema. It does not check rules again: input that a deny
    /// rule forbids runs.
    pub fn allow_with_input(input: RawJson) -> Self {
        Self::Allow(Allow::new().input(input))
    }

    /// Denies the tool use. The model sees the message and continues.
    pub fn deny(message: impl Into<String>) -> Self {
        Self::Deny(Deny::new(message))
    }

    /// Denies the tool use and ends the turn; in a subagent it ends the subagent's work, and the turn continues.
    ///
    /// The model does not see the message, only that the user does not want the tool use.
    pub fn deny_and_interrupt(message: impl Into<String>) -> Self {
        Self::Deny(Deny { interrupt: Some(true), ..Deny::new(message) })
    }
}

/// An allowed tool use.
///
/// CLI 2.1.197 requires `updated_input`: without it, the tool does not run and the model gets an error.
/// `agentwire-hooks` sends the original input back; callers without it must do so themselves.
/// 2.1.330 does not need it, and treats an equal input as unchanged.
///
/// There is no `Default`, so that allowing is always explicit.
#[wire(camelCase, new)]
pub struct Allow {
    /// The input to use; `None` for the original input, which CLI 2.1.197 does not accept (`updatedInput`).
    pub updated_input: Option<RawJson>,
    /// Changes to the permissions, to avoid further questions of this kind (`updatedPermissions`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updated_permissions: Vec<PermissionUpdate>,
    /// The tool use to decide on; the CLI does not need it (`toolUseID`).
    #[serde(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// The user's choice, for the CLI's statistics (`decisionClassification`).
    pub decision_classification: Option<DecisionClassification>,
}

impl Allow {
    /// Sets the input to use instead of the original one.
    #[must_use]
    pub fn input(mut self, input: RawJson) -> Self {
        self.updated_input = Some(input);
        self
    }

    /// Appends changes to the permissions.
    #[must_use]
    pub fn updates(mut self, updates: impl IntoIterator<Item = PermissionUpdate>) -> Self {
        self.updated_permissions.extend(updates);
        self
    }
}

from_payloads!(Decision: Allow, Deny);

/// A denied tool use.
#[wire(camelCase, new)]
pub struct Deny {
    /// The reason, for the model (`message`).
    pub message: String,
    /// Whether to end the turn (`interrupt`).
    pub interrupt: Option<bool>,
    /// The tool use to decide on; the CLI does not need it (`toolUseID`).
    #[serde(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// The user's choice, for the CLI's statistics (`decisionClassification`).
    pub decision_classification: Option<DecisionClassification>,
}
