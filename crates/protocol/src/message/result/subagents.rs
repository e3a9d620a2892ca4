//! What subagents a session had.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What subagents the session had (`subagent_stats`).
///
/// Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SubagentStats {
    /// How many were started.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub spawned: u64,
    /// How the model asked for them.
    pub requested: Option<RequestedSubagents>,
    /// How many began in the background.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub started_in_background: u64,
    /// How deep they were nested.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub max_depth: u64,
    /// How many were started by others.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub spawned_by_subagents: u64,
    /// How many ended well.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub completed: u64,
    /// How many failed.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub failed: u64,
    /// How many were stopped.
    pub killed: Option<KilledSubagents>,
    /// How many were not started.
    pub refused: Option<RefusedSubagents>,
    /// How many there were of each kind.
    pub by_type: BTreeMap<Box<str>, u64>,
}

/// How the model asked for subagents (`requested`).
///
/// Not declared, seen on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RequestedSubagents {
    /// To run in the background.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub background: u64,
    /// To be waited for.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub foreground: u64,
    /// Without saying.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub unset: u64,
}

/// Who stopped subagents (`killed`).
///
/// Not declared, seen on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct KilledSubagents {
    /// Who had started them.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub parent: u64,
    /// The user.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub user: u64,
    /// The CLI.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub system: u64,
}

/// Why subagents were not started (`refused`).
///
/// Not declared, seen on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RefusedSubagents {
    /// They would have been nested too deep.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub depth_limit: u64,
    /// Too many ran.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub concurrency_limit: u64,
    /// The budget was spent.
    #[serde(deserialize_with = "crate::lenient::count")]
    pub budget: u64,
}
