//! Statistics of subagents.

use std::collections::BTreeMap;

/// Statistics of the session's subagents (`subagent_stats`).
///
/// Not declared, seen on the wire.
#[wire(Default, tolerant)]
pub struct SubagentStats {
    /// The number of subagents started.
    pub spawned: u64,
    /// The number by requested mode.
    pub requested: Option<RequestedSubagents>,
    /// The number started in the background.
    pub started_in_background: u64,
    /// The maximum nesting depth.
    pub max_depth: u64,
    /// The number started by subagents.
    pub spawned_by_subagents: u64,
    /// The number completed.
    pub completed: u64,
    /// The number failed.
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
#[wire(Copy, Default, Eq, tolerant)]
pub struct RequestedSubagents {
    /// To run in the background.
    pub background: u64,
    /// To run in the foreground.
    pub foreground: u64,
    /// Without a requested mode.
    pub unset: u64,
}

/// The number of stopped subagents, by the actor that stopped them (`killed`).
///
/// Not declared, seen on the wire.
#[wire(Copy, Default, Eq, tolerant)]
pub struct KilledSubagents {
    /// Stopped by the parent.
    pub parent: u64,
    /// Stopped by the user.
    pub user: u64,
    /// Stopped by the CLI.
    pub system: u64,
}

/// The number of subagents not started, by reason (`refused`).
///
/// Not declared, seen on the wire.
#[wire(Copy, Default, Eq, tolerant)]
pub struct RefusedSubagents {
    /// The nesting limit was reached.
    pub depth_limit: u64,
    /// The concurrency limit was reached.
    pub concurrency_limit: u64,
    /// The budget was used up.
    pub budget: u64,
}
