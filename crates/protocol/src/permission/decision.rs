//! The answer to `can_use_tool`.

use serde::{Deserialize, Serialize};

use super::{DecisionClassification, PermissionUpdate};
use crate::{RawJson, ToolUseId, tagged::tagged};

tagged! {
    /// The answer to `can_use_tool`.
    ///
    /// There is no default: whoever answers, decides.
    pub enum Decision by "behavior" {
        /// The tool may be used.
        Allow(Allow) = "allow",
        /// It may not.
        Deny(Deny) = "deny",
    }
}

impl Decision {
    /// The tool may be used as asked; see [`Allow`] for more than that.
    pub fn allow() -> Self {
        Self::Allow(Allow::new())
    }

    /// The tool may be used with this input instead; the `assistant` message keeps the old one.
    ///
    /// The CLI checks that the input fits the tool, and looks at no rule again: what a deny rule forbids runs too.
    pub fn allow_with_input(input: RawJson) -> Self {
        Self::Allow(Allow::new().input(input))
    }

    /// The tool may not be used; the model is told why and goes on.
    pub fn deny(message: impl Into<String>) -> Self {
        Self::Deny(Deny::new(message))
    }

    /// The tool may not be used, and the turn ends; asked by a subagent, that one's work ends, and the turn goes on.
    ///
    /// The model is told that the user does not want it, and not this message.
    pub fn deny_and_interrupt(message: impl Into<String>) -> Self {
        Self::Deny(Deny { interrupt: Some(true), ..Deny::new(message) })
    }
}

/// The tool may be used.
///
/// CLI 2.1.197 wants `updated_input` in each allowance: without it the tool does not run, and the model is told of an
/// error.
/// Whoever answers on his own sends back the input that was asked about; the handler of `agentwire-hooks` does so.
/// 2.1.330 needs nothing, and takes the same input for no change.
///
/// There is no `Default`: it must be asked for by name.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Allow {
    /// The input to use; `None` for the one that was asked about, which CLI 2.1.197 does not take (`updatedInput`).
    pub updated_input: Option<RawJson>,
    /// Changes to the permissions, so that the question need not be asked again (`updatedPermissions`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updated_permissions: Vec<PermissionUpdate>,
    /// The tool use that is meant; the CLI knows without (`toolUseID`).
    #[serde(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// How the user settled it, for the CLI's counts (`decisionClassification`).
    pub decision_classification: Option<DecisionClassification>,
}

impl Allow {
    /// The tool may be used as asked; the fields may say more.
    #[expect(clippy::new_without_default, reason = "permission must be asked for by name")]
    pub fn new() -> Self {
        Self {
            updated_input: None,
            updated_permissions: Vec::new(),
            tool_use_id: None,
            decision_classification: None,
        }
    }

    /// With this input in the place of the one that was asked about.
    #[must_use]
    pub fn input(mut self, input: RawJson) -> Self {
        self.updated_input = Some(input);
        self
    }

    /// With these changes to the permissions, after those that it has.
    #[must_use]
    pub fn updates(mut self, updates: impl IntoIterator<Item = PermissionUpdate>) -> Self {
        self.updated_permissions.extend(updates);
        self
    }
}

impl From<Allow> for Decision {
    fn from(allow: Allow) -> Self {
        Self::Allow(allow)
    }
}

impl From<Deny> for Decision {
    fn from(deny: Deny) -> Self {
        Self::Deny(deny)
    }
}

/// The tool may not be used.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Deny {
    /// Why, for the model (`message`).
    pub message: String,
    /// Whether the turn ends (`interrupt`).
    pub interrupt: Option<bool>,
    /// The tool use that is meant; the CLI knows without (`toolUseID`).
    #[serde(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// How the user settled it, for the CLI's counts (`decisionClassification`).
    pub decision_classification: Option<DecisionClassification>,
}

impl Deny {
    /// The tool may not be used, for this reason; the fields may say more.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), interrupt: None, tool_use_id: None, decision_classification: None }
    }
}
