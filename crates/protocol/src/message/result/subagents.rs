//! Statistics of subagents.

use std::collections::BTreeMap;

/// Statistics of the session's subagents (`subagent_stats`).
///
/// Not declared, seen on the wire.
#[wire(Default, default)]
pub struct SubagentStats {
    /// The number of subagents started.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub spawned: u64,
    /// The number by requested mode.
    pub requested: Option<RequestedSubagents>,
    /// The number started in the background.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub started_in_background: u64,
    /// The maximum nesting depth.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub max_depth: u64,
    /// The number started by subagents.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub spawned_by_subagents: u64,
    /// The number completed.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub completed: u64,
    /// The number failed.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub failed: u64,
    /// The number stopped.
    pub killed: Option<KilledSubagents>,
    /// The number not started.
    pub refused: Option<RefusedSubagents>,
    /// The number of each type.
    pub by_type: BTreeMap<Box<str>, u64>,
}

/// The number of subagents by requested mode (`requested`).
///
/// Not declared, seen on the wire.
#[wire(Copy, Default, Eq, default)]
pub struct RequestedSubagents {
    /// To run in the background.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub background: u64,
    /// To run in the foreground.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub foreground: u64,
    /// Without a requested mode.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub unset: u64,
}

/// The number of stopped subagents, by the actor that stopped them (`killed`).
///
/// Not declared, seen on the wire.
#[wire(Copy, Default, Eq, default)]
pub struct KilledSubagents {
    /// Stopped by the parent.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub parent: u64,
    /// Stopped by the user.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub user: u64,
    /// Stopped by the CLI.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub system: u64,
}

/// The number of subagents not started, by reason (`refused`).
///
/// Not declared, seen on the wire.
#[wire(Copy, Default, Eq, default)]
pub struct RefusedSubagents {
    /// The nesting limit was reached.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub depth_limit: u64,
    /// The concurrency limit was reached.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub concurrency_limit: u64,
    /// The budget was used up.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub budget: u64,
}
