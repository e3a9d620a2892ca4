//! Resolves the CLI's settings files without starting the CLI.

mod denied_models;
mod escalation;
mod files;
mod merge;
mod resolve;

pub use denied_models::{DeniedModelsMatch, DeniedModelsNote, DeniedModelsNoteKind, match_denied_models};
pub use escalation::filter_escalating_default_mode;
pub use resolve::*;
