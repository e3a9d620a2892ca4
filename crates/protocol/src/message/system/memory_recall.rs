//! `system/memory_recall`: the model was reminded of something.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, open_enum::open_enum};

/// The model was reminded of something that it had put down (`system/memory_recall`).
///
/// Taken from the published declarations, never seen.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MemoryRecall {
    /// How it was found.
    #[serde(default = "crate::lenient::empty")]
    pub mode: MemoryRecallMode,
    /// What it is.
    #[serde(default)]
    pub memories: Vec<Memory>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// How memories were found.
    pub enum MemoryRecallMode {
        /// Whole files were chosen.
        Select = "select",
        /// Many small ones were put into a paragraph.
        Synthesize = "synthesize",
    }
}

/// Something that the model was reminded of.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Memory {
    /// The file, or the folder in `<synthesis:…>`, or a URL for the scope `organization`.
    pub path: String,
    /// Whose it is.
    pub scope: MemoryScope,
    /// The text; absent where the file holds it.
    pub content: Option<String>,
}

open_enum! {
    /// Whose a memory is.
    pub enum MemoryScope {
        /// The user's own.
        Personal = "personal",
        /// The team's.
        Team = "team",
        /// The organisation's.
        Organization = "organization",
    }
}
