//! Effort levels and fast mode.

/// How much effort the model puts into its answers.
#[wire]
pub enum EffortLevel {
    /// The lowest level.
    Low = "low",
    /// The medium level.
    Medium = "medium",
    /// A high level.
    High = "high",
    /// A very high level.
    XHigh = "xhigh",
    /// The highest level; only for a session, never saved.
    Max = "max",
}

/// An effort level by name or as a number (`effort` of an agent's definition).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effort {
    /// By name.
    Level(EffortLevel),
    /// As a number, without a unit.
    Number(u64),
}

crate::forms::from_payloads! { Effort: EffortLevel => Level }
crate::forms::forms! { Effort, "an effort level or a whole number": text => Level, number => Number }

/// The state of fast mode (`fast_mode_state`).
#[wire]
pub enum FastModeState {
    /// Fast mode is off.
    Off = "off",
    /// Fast mode is off for a while, since a limit was reached.
    Cooldown = "cooldown",
    /// Fast mode is on.
    On = "on",
}

/// Why fast mode is unavailable (`fast_mode_disabled_reason`); absent if it is available.
#[wire]
pub enum FastModeDisabledReason {
    /// The account's plan is free.
    Free = "free",
    /// The user turned it off.
    Preference = "preference",
    /// Extra usage beyond the plan is turned off.
    ExtraUsageDisabled = "extra_usage_disabled",
    /// The availability check failed.
    NetworkError = "network_error",
    /// The reason is unknown.
    Unclassified = "unknown",
    /// The API provider is not Anthropic.
    NotFirstParty = "not_first_party",
    /// An environment variable disables it.
    DisabledByEnv = "disabled_by_env",
    /// The model does not support it.
    ModelNotAllowed = "model_not_allowed",
    /// The host did not opt in.
    SdkOptInRequired = "sdk_opt_in_required",
    /// The availability check is not finished.
    Pending = "pending",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effort_is_a_name_or_a_number() {
        let efforts: Vec<Effort> = serde_json::from_str(r#"["high","later",7]"#).unwrap();
        assert_eq!(efforts, [EffortLevel::High.into(), EffortLevel::from("later").into(), Effort::Number(7)]);
        assert_eq!(serde_json::to_string(&efforts).unwrap(), r#"["high","later",7]"#);
        assert!(serde_json::from_str::<Effort>("null").is_err());
    }
}
