//! The effort level in hook inputs.

use crate::effort::EffortLevel;

/// The effort of a turn (`effort`).
#[wire(Eq)]
pub struct HookEffort {
    /// The level; the CLI lowers a level that the model does not support (`level`).
    pub level: EffortLevel,
}
