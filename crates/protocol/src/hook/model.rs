//! Around a switch of the model: `PreModelSwitch` and `PostModelSwitch`.

use serde::{Deserialize, Serialize};

use super::{CanBlock, HookReply, ability::adds_context, declare::hook_event};
use crate::open_enum::open_enum;

hook_event! {
    /// Before the model is switched, also by a `set_model` of the host's.
    ///
    /// Not told where the name asked for stands for the model in use.
    /// A refused `set_model` is answered with an error (`error_code: "blocked_by_hook"`); in a session without a
    /// terminal `ask` refuses as well, and so does `decision: "block"`.
    PreModelSwitch => PreModelSwitchOutput, matched by "to_model", refusal |reason| Some(HookReply::deny_switch(reason)), also when late, within 30_000 ms;

    /// What `PreModelSwitch` tells.
    PreModelSwitchInput {
        /// The model in use, by its full name (`from_model`).
        from_model: Box<str>,
        /// The model to use, by its full name (`to_model`).
        to_model: Box<str>,
        /// What was asked for, such as an alias (`requested_model`); null for the default.
        #[serialize_always]
        requested_model: Option<Box<str>>,
        /// Who asked (`source`).
        source: ModelSwitchSource,
        /// How many tokens the next request sends again (`context_tokens`).
        #[serde(default, deserialize_with = "crate::lenient::count")]
        context_tokens: u64,
        /// Whether the cache of the model in use is likely to be still there, and would be lost (`prompt_cache_warm`).
        #[serde(default)]
        prompt_cache_warm: bool,
        /// How long a cached prompt is kept (`cache_ttl`).
        cache_ttl: Option<CacheTtl>,
        /// What caching those tokens for the new model would cost, in US dollars (`estimated_cache_write_usd`).
        estimated_cache_write_usd: Option<f64>,
        /// Where that price comes from (`pricing`).
        pricing: Option<ModelPricing>,
    }
}

/// What only `PreModelSwitch` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PreModelSwitchOutput {
    /// What happens to the switch (`permissionDecision`).
    pub permission_decision: Option<SwitchDecision>,
    /// Why (`permissionDecisionReason`).
    pub permission_decision_reason: Option<String>,
}

open_enum! {
    /// What happens to a switch of the model.
    pub enum SwitchDecision {
        /// It goes ahead.
        Allow = "allow",
        /// It is refused.
        Deny = "deny",
        /// The user is asked; where there is none, it is refused.
        Ask = "ask",
    }
}

impl CanBlock for PreModelSwitch {}

impl HookReply<PreModelSwitch> {
    /// The model may be switched, without a further question.
    pub fn allow_switch() -> Self {
        Self::output(PreModelSwitchOutput {
            permission_decision: Some(SwitchDecision::Allow),
            permission_decision_reason: None,
        })
    }

    /// The model may not be switched.
    pub fn deny_switch(reason: impl Into<String>) -> Self {
        Self::output(PreModelSwitchOutput {
            permission_decision: Some(SwitchDecision::Deny),
            permission_decision_reason: Some(reason.into()),
        })
    }
}

hook_event! {
    /// After the model was switched.
    ///
    /// The event can't refuse.
    PostModelSwitch => PostModelSwitchOutput, matched by "to_model", refusal |_| None, within 30_000 ms;

    /// What `PostModelSwitch` tells.
    PostModelSwitchInput {
        /// The model that was in use, by its full name (`from_model`).
        from_model: Box<str>,
        /// The model that is in use, by its full name (`to_model`).
        to_model: Box<str>,
        /// What was asked for, such as an alias (`requested_model`); null for the default.
        #[serialize_always]
        requested_model: Option<Box<str>>,
        /// Who asked (`source`).
        source: ModelSwitchSource,
        /// How many tokens the next request sends again (`context_tokens`).
        #[serde(default, deserialize_with = "crate::lenient::count")]
        context_tokens: u64,
        /// Whether the cache of the model before is likely to have been still there (`prompt_cache_warm`).
        #[serde(default)]
        prompt_cache_warm: bool,
        /// How long a cached prompt is kept (`cache_ttl`).
        cache_ttl: Option<CacheTtl>,
        /// What caching those tokens for the new model costs, in US dollars (`estimated_cache_write_usd`).
        estimated_cache_write_usd: Option<f64>,
        /// Where that price comes from (`pricing`).
        pricing: Option<ModelPricing>,
    }
}

/// What only `PostModelSwitch` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PostModelSwitchOutput {
    /// Text for the new model, with its next request (`additionalContext`).
    pub additional_context: Option<String>,
}

adds_context!(PostModelSwitch);

open_enum! {
    /// Who asked for another model.
    pub enum ModelSwitchSource {
        /// The user, by a command.
        Command = "command",
        /// The user, from a list.
        Picker = "picker",
        /// The host, by `set_model`.
        Sdk = "sdk",
        /// The CLI itself, such as for a fallback; only told afterwards.
        Auto = "auto",
        /// A resumed session had another one; only told afterwards.
        Resume = "resume",
    }
}

open_enum! {
    /// How long a cached prompt is kept.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// An hour.
        OneHour = "1h",
    }
}

open_enum! {
    /// Where a price comes from.
    pub enum ModelPricing {
        /// From managed settings.
        Configured = "configured",
        /// From the list.
        Catalog = "catalog",
        /// The model is not on the list, and a price was assumed.
        Default = "default",
    }
}
