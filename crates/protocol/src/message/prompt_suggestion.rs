//! `prompt_suggestion`: a suggestion for the next prompt.

/// A suggestion for the next prompt (`prompt_suggestion`).
///
/// Sent after a turn if `initialize` has `promptSuggestions`.
#[wire(tolerant, message)]
pub struct PromptSuggestion {
    /// The prompt.
    pub suggestion: String,
}
