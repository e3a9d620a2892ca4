//! `system/memory_recall`: memories were added to the context.

/// Memories were added to the context (`system/memory_recall`).
///
/// Declared, but never seen.
#[wire(tolerant, message)]
pub struct MemoryRecall {
    /// How the memories were found.
    #[serde(default = "crate::lenient::empty")]
    pub mode: MemoryRecallMode,
    /// The memories.
    pub memories: Vec<Memory>,
}

/// How memories were found.
#[wire]
pub enum MemoryRecallMode {
    /// Whole files were selected.
    Select = "select",
    /// Several small memories were synthesised into a paragraph.
    Synthesize = "synthesize",
}

/// A memory.
#[wire]
pub struct Memory {
    /// The file, or the directory in `<synthesis:…>`, or a URL for the scope `organization`.
    pub path: String,
    /// The scope.
    pub scope: MemoryScope,
    /// The text; absent if the file contains it.
    pub content: Option<String>,
}

/// The scope of a memory.
#[wire]
pub enum MemoryScope {
    /// The user.
    Personal = "personal",
    /// The team.
    Team = "team",
    /// The organisation.
    Organization = "organization",
}
