//! The models that a session can choose from.

use serde::{Deserialize, Serialize};

use crate::effort::EffortLevel;

/// A model that can be chosen (`models` of the handshake, `list_models`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelInfo {
    /// What `set_model` takes: an alias or an id.
    pub value: Box<str>,
    /// The id that the alias stands for.
    pub resolved_model: Option<Box<str>>,
    /// The name for people.
    #[serde(default)]
    pub display_name: String,
    /// What it is good for.
    #[serde(default)]
    pub description: String,
    /// Whether its effort can be set; absent where it can't.
    pub supports_effort: Option<bool>,
    /// To what it can be set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supported_effort_levels: Vec<EffortLevel>,
    /// Whether it decides for itself how much to think.
    pub supports_adaptive_thinking: Option<bool>,
    /// Whether it has a fast mode.
    pub supports_fast_mode: Option<bool>,
    /// Whether it can decide on permissions.
    pub supports_auto_mode: Option<bool>,
    /// Whether thinking can be turned off. Not declared, seen on the wire.
    pub supports_thinking_off: Option<bool>,
}
