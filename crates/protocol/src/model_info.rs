//! Models that a session can use.

use crate::effort::EffortLevel;

/// A selectable model (`models` of the handshake, `list_models`).
#[wire(Eq, camelCase, tolerant)]
pub struct ModelInfo {
    /// The value for `set_model`: an alias or an id.
    #[required]
    pub value: Box<str>,
    /// The model id of an alias.
    pub resolved_model: Option<Box<str>>,
    /// The display name.
    pub display_name: String,
    /// The description.
    pub description: String,
    /// Whether the effort level can be set; absent means no.
    pub supports_effort: Option<bool>,
    /// The supported effort levels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supported_effort_levels: Vec<EffortLevel>,
    /// Whether the model decides itself how much to think.
    pub supports_adaptive_thinking: Option<bool>,
    /// Whether the model has a fast mode.
    pub supports_fast_mode: Option<bool>,
    /// Whether the model supports the permission mode `auto`.
    pub supports_auto_mode: Option<bool>,
    /// Whether thinking can be turned off. Not declared, seen on the wire.
    pub supports_thinking_off: Option<bool>,
}
