//! The effort level in hook inputs.

use serde::{Deserialize, Serialize};

use crate::effort::EffortLevel;

/// The effort of a turn (`effort`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct HookEffort {
    /// The level; the CLI lowers a level that the model does not support (`level`).
    pub level: EffortLevel,
}
