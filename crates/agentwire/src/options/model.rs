//! Options of the model, its thinking and its agent.

use agentwire_protocol::{agent::AgentDefinition, effort::EffortLevel};
use serde::{Deserialize, Serialize};

use super::{
    Options, Warning,
    argv::Argv,
    launch_plan::{LaunchPlan, ToCli, refuse},
    setters::setters,
};
use crate::Error;

/// The thinking mode of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum Thinking {
    /// The model decides (`--thinking=adaptive`).
    Adaptive {
        /// The visibility of its thoughts (`--thinking-display`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        display: Option<ThinkingDisplay>,
    },
    /// It thinks with a token budget (`--max-thinking-tokens`); without one, as [`Adaptive`](Self::Adaptive).
    Enabled {
        /// The budget, in tokens.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget_tokens: Option<u32>,
        /// The visibility of its thoughts (`--thinking-display`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        display: Option<ThinkingDisplay>,
    },
    /// It does not think (`--thinking=disabled`).
    Disabled {},
}

/// The visibility of the model's thoughts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ThinkingDisplay {
    /// A summary.
    Summarized,
    /// Nothing.
    Omitted,
}

pub(super) struct Group<'a>(pub(super) &'a Options);

setters! {
    some model: String;
    some fallback_model: String;
    some agent: String;
    map agents: AgentDefinition;
    some effort: EffortLevel;
    some thinking: Thinking;
    plain max_thinking_tokens: u32;
    list betas: String;
}

impl ToCli for Group<'_> {
    fn to_cli(&self, to: &mut LaunchPlan) -> Result<(), Error> {
        let options = self.0;
        if options.model.as_deref() == Some("") {
            return refuse("model", "a model's name is not empty");
        }
        if options.thinking.is_some() && options.max_thinking_tokens.is_some() {
            to.warn(Warning::Overridden { option: "maxThinkingTokens", by: "thinking" });
        }
        match options.thinking {
            Some(thinking) => thinking.to_cli(to),
            None => to.flag("max-thinking-tokens", options.max_thinking_tokens),
        }
        to.flag("effort", options.effort.as_ref());
        to.flag("model", options.model.as_deref());
        to.flag("fallback-model", options.fallback_model.as_deref());
        to.flag("agent", options.agent.as_deref());
        to.list("betas", &options.betas);
        to.initialize.agents.clone_from(&options.agents);
        Ok(())
    }
}

impl Thinking {
    fn to_cli(self, to: &mut LaunchPlan) {
        let display = match self {
            Self::Disabled {} => {
                to.flag("thinking", Some("disabled"));
                None
            }
            Self::Enabled { budget_tokens: Some(budget), display } => {
                to.flag("max-thinking-tokens", Some(budget));
                display
            }
            Self::Enabled { budget_tokens: None, display } | Self::Adaptive { display } => {
                to.flag("thinking", Some("adaptive"));
                display
            }
        };
        to.flag("thinking-display", display.map(ThinkingDisplay::as_str));
    }
}

impl ThinkingDisplay {
    fn as_str(self) -> &'static str {
        match self {
            Self::Summarized => "summarized",
            Self::Omitted => "omitted",
        }
    }
}
