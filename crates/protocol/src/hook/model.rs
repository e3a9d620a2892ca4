//! Model switch events: `PreModelSwitch` and `PostModelSwitch`.

use super::{ContextOutput, HookReply, declare::hook_event};
pub use crate::content::CacheTtl;

hook_event! {
    /// Before the model is switched, including by a `set_model` of the host.
    ///
    /// Does not fire if the requested name resolves to the current model.
    /// A denied `set_model` gets an error reply (`error_code: "blocked_by_hook"`). In a session without a
    /// terminal, `ask` denies too, and so does `decision: "block"`.
    PreModelSwitch => PreModelSwitchOutput, matched by "to_model", refusal |reason| Some(HookReply::deny_switch(reason)), also when late, within 30_000 ms,
        can block;

    /// The input of `PreModelSwitch`.
    PreModelSwitchInput {
        /// The current model, by its full name (`from_model`).
        from_model: Box<str>,
        /// The new model, by its full name (`to_model`).
        to_model: Box<str>,
        /// The requested name, such as an alias (`requested_model`); null for the default.
        #[serialize_always]
        requested_model: Option<Box<str>>,
        /// The source of the request (`source`).
        source: ModelSwitchSource,
        /// The number of tokens that the next request sends again (`context_tokens`).
        #[serde(default, deserialize_with = "crate::lenient::count")]
        context_tokens: u64,
        /// Whether the cache of the current model probably still exists and would be lost (`prompt_cache_warm`).
        #[serde(default)]
        prompt_cache_warm: bool,
        /// The lifetime of a cached prompt (`cache_ttl`).
        cache_ttl: Option<CacheTtl>,
        /// The estimated cost of caching those tokens for the new model, in US dollars (`estimated_cache_write_usd`).
        estimated_cache_write_usd: Option<f64>,
        /// The source of that price (`pricing`).
        pricing: Option<ModelPricing>,
    }
}

/// The event-specific output of `PreModelSwitch`.
#[wire(Default, camelCase)]
pub struct PreModelSwitchOutput {
    /// The decision (`permissionDecision`).
    pub permission_decision: Option<SwitchDecision>,
    /// The reason (`permissionDecisionReason`).
    pub permission_decision_reason: Option<String>,
}

/// A decision on a model switch.
#[wire]
pub enum SwitchDecision {
    /// Allow the switch.
    Allow = "allow",
    /// Deny the switch.
    Deny = "deny",
    /// Ask the user; deny if there is none.
    Ask = "ask",
}

impl HookReply<PreModelSwitch> {
    /// Returns a reply that allows the switch without asking.
    pub fn allow_switch() -> Self {
        let permission_decision = Some(SwitchDecision::Allow);
        Self::output(PreModelSwitchOutput { permission_decision, permission_decision_reason: None })
    }

    /// Returns a reply that denies the switch.
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
    /// This event can't be blocked.
    PostModelSwitch => ContextOutput, matched by "to_model", refusal |_| None, within 30_000 ms, adds context;

    /// The input of `PostModelSwitch`.
    PostModelSwitchInput {
        /// The previous model, by its full name (`from_model`).
        from_model: Box<str>,
        /// The new model, by its full name (`to_model`).
        to_model: Box<str>,
        /// The requested name, such as an alias (`requested_model`); null for the default.
        #[serialize_always]
        requested_model: Option<Box<str>>,
        /// The source of the request (`source`).
        source: ModelSwitchSource,
        /// The number of tokens that the next request sends again (`context_tokens`).
        #[serde(default, deserialize_with = "crate::lenient::count")]
        context_tokens: u64,
        /// Whether the cache of the previous model probably still existed (`prompt_cache_warm`).
        #[serde(default)]
        prompt_cache_warm: bool,
        /// The lifetime of a cached prompt (`cache_ttl`).
        cache_ttl: Option<CacheTtl>,
        /// The estimated cost of caching those tokens for the new model, in US dollars (`estimated_cache_write_usd`).
        estimated_cache_write_usd: Option<f64>,
        /// The source of that price (`pricing`).
        pricing: Option<ModelPricing>,
    }
}

/// The source of a model switch.
#[wire]
pub enum ModelSwitchSource {
    /// A command of the user.
    Command = "command",
    /// The model picker.
    Picker = "picker",
    /// A `set_model` request of the host.
    Sdk = "sdk",
    /// The CLI itself, such as for a fallback; only in `PostModelSwitch`.
    Auto = "auto",
    /// A resumed session with another model; only in `PostModelSwitch`.
    Resume = "resume",
}

/// The source of a price.
#[wire]
pub enum ModelPricing {
    /// Managed settings.
    Configured = "configured",
    /// The price list.
    Catalog = "catalog",
    /// A default price for a model that is not on the price list.
    Default = "default",
}
