//! Options of the model, its thinking and its agent.

use agentwire_protocol::message::ThinkingDisplay;
use serde::{Deserialize, Serialize};

use super::{Options, Warning, launch_plan::LaunchPlan};

/// The thinking mode of the model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum ThinkingConfig {
    /// The model decides (`--thinking=adaptive`).
    Adaptive {
        /// The display of its thoughts (`--thinking-display`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        display: Option<ThinkingDisplay>,
    },
    /// It thinks with a token budget (`--max-thinking-tokens`); without one, as [`Adaptive`](Self::Adaptive).
    Enabled {
        /// The budget, in tokens.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget_tokens: Option<u32>,
        /// The display of its thoughts (`--thinking-display`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        display: Option<ThinkingDisplay>,
    },
    /// It does not think (`--thinking=disabled`).
    Disabled {},
}

impl Options {
    /// Adds the thinking mode.
    pub(super) fn thinking_to_cli(&self, plan: &mut LaunchPlan) {
        match &self.thinking {
            None => plan.flag(MAX_THINKING_TOKENS, self.max_thinking_tokens),
            Some(thinking) => {
                if self.max_thinking_tokens.is_some() {
                    plan.warn(Warning::Overridden { option: "maxThinkingTokens", by: "thinking" });
                }
                let display = match thinking {
                    ThinkingConfig::Disabled {} => {
                        plan.flag("thinking", Some("disabled"));
                        &None
                    }
                    ThinkingConfig::Enabled { budget_tokens: Some(budget), display } => {
                        plan.flag(MAX_THINKING_TOKENS, Some(*budget));
                        display
                    }
                    ThinkingConfig::Enabled { budget_tokens: None, display }
                    | ThinkingConfig::Adaptive { display } => {
                        plan.flag("thinking", Some("adaptive"));
                        display
                    }
                };
                plan.flag("thinking-display", display.as_ref());
            }
        }
    }
}

const MAX_THINKING_TOKENS: &str = "max-thinking-tokens";
