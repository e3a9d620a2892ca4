//! How much the model is to think, and how fast it is to answer.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Visitor};

use crate::open_enum::open_enum;

open_enum! {
    /// How much effort the model is to make.
    pub enum EffortLevel {
        /// The least.
        Low = "low",
        /// In between.
        Medium = "medium",
        /// Much.
        High = "high",
        /// More than much.
        XHigh = "xhigh",
        /// The most; for a session only, never saved.
        Max = "max",
    }
}

/// An effort by name or as a number (`effort` of an agent's definition).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effort {
    /// By name.
    Level(EffortLevel),
    /// As a number, without a unit.
    Number(u64),
}

impl From<EffortLevel> for Effort {
    fn from(level: EffortLevel) -> Self {
        Self::Level(level)
    }
}

impl Serialize for Effort {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Level(level) => level.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Effort {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EffortVisitor)
    }
}

struct EffortVisitor;

impl Visitor<'_> for EffortVisitor {
    type Value = Effort;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an effort level or a whole number")
    }

    fn visit_str<E>(self, text: &str) -> Result<Effort, E> {
        Ok(Effort::Level(text.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Effort, E> {
        Ok(Effort::Number(number))
    }
}

open_enum! {
    /// Whether answers come in fast mode (`fast_mode_state`).
    pub enum FastModeState {
        /// They do not.
        Off = "off",
        /// They do not for a while, since a limit was reached.
        Cooldown = "cooldown",
        /// They do.
        On = "on",
    }
}

open_enum! {
    /// Why fast mode can't be had (`fast_mode_disabled_reason`); absent where nothing stands in its way.
    pub enum FastModeDisabledReason {
        /// The account's plan is free.
        Free = "free",
        /// The user turned it off.
        Preference = "preference",
        /// Use beyond the plan is turned off.
        ExtraUsageDisabled = "extra_usage_disabled",
        /// The question whether it can be had was not answered.
        NetworkError = "network_error",
        /// Nobody knows.
        Unknown = "unknown",
        /// The API is another provider's.
        NotFirstParty = "not_first_party",
        /// An environment variable turns it off.
        DisabledByEnv = "disabled_by_env",
        /// The model does not have it.
        ModelNotAllowed = "model_not_allowed",
        /// The host did not ask for it.
        SdkOptInRequired = "sdk_opt_in_required",
        /// It is not known yet.
        Pending = "pending",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_is_a_name_or_a_number() {
        let efforts: Vec<Effort> = serde_json::from_str(r#"["high","later",7]"#).unwrap();
        assert_eq!(efforts, [EffortLevel::High.into(), EffortLevel::from("later").into(), Effort::Number(7)]);
        assert_eq!(serde_json::to_string(&efforts).unwrap(), r#"["high","later",7]"#);
        assert!(serde_json::from_str::<Effort>("null").is_err());
    }
}
