//! Elicitation: questions of an MCP server to the user.

use crate::RawJson;

/// The kind of an elicitation.
#[wire]
pub enum ElicitationMode {
    /// The user fills in a form.
    Form = "form",
    /// The user opens a page.
    Url = "url",
}

/// The user's response to an elicitation.
#[wire]
pub enum ElicitationAction {
    /// The user answers it or opens the page.
    Accept = "accept",
    /// The user declines.
    Decline = "decline",
    /// The user dismisses it without an answer.
    Cancel = "cancel",
}

/// The answer to an `elicitation`, in the format of MCP.
///
/// An error reply counts as [`ElicitationAction::Cancel`].
#[wire(new)]
pub struct ElicitationReply {
    /// The user's response (`action`).
    pub action: ElicitationAction,
    /// The filled-in form: an object of strings, numbers, booleans and lists of strings (`content`).
    pub content: Option<RawJson>,
    /// Metadata that MCP lets a client add (`_meta`).
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
}

impl ElicitationReply {
    /// Returns a reply with the filled-in form.
    pub fn accept(content: RawJson) -> Self {
        Self { content: Some(content), ..Self::new(ElicitationAction::Accept) }
    }

    /// Returns a reply that declines.
    pub fn decline() -> Self {
        Self::new(ElicitationAction::Decline)
    }

    /// Returns a reply that dismisses the question.
    pub fn cancel() -> Self {
        Self::new(ElicitationAction::Cancel)
    }
}
