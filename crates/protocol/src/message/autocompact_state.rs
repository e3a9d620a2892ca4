//! `autocompact_state`: the state of automatic compaction.

/// The state of automatic compaction (`autocompact_state`).
///
/// Not declared, seen on the wire.
#[wire(message)]
pub struct AutocompactState {
    /// The configuration.
    #[serialize_always]
    pub value: Option<Autocompact>,
}

/// The configuration of automatic compaction.
///
/// Not declared, seen on the wire.
#[wire(tolerant)]
pub struct Autocompact {
    /// Whether it is enabled.
    #[required]
    pub enabled: bool,
    /// The effective context window in tokens.
    pub effective_window: Option<u64>,
    /// The threshold in tokens.
    pub threshold: Option<u64>,
    /// Whether it is enforced.
    pub enforced: Option<bool>,
    /// The source of the configuration, such as `model-default`.
    pub source: Option<Box<str>>,
}
