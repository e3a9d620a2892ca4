//! How hard the model thinks, as hooks are told it.

use serde::{Deserialize, Serialize};

use crate::effort::EffortLevel;

/// The effort in force in a turn (`effort`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct HookEffort {
    /// The level, after the CLI lowered one that the model does not have (`level`).
    pub level: EffortLevel,
}
