//! Questions that an MCP server asks the user.

use serde::{Deserialize, Serialize};

use crate::{RawJson, open_enum::open_enum};

open_enum! {
    /// What an MCP server wants of the user.
    pub enum ElicitationMode {
        /// To fill in a form.
        Form = "form",
        /// To open a page.
        Url = "url",
    }
}

open_enum! {
    /// What the user does with a question.
    pub enum ElicitationAction {
        /// He answers it, or opens the page.
        Accept = "accept",
        /// He refuses.
        Decline = "decline",
        /// He went away without an answer.
        Cancel = "cancel",
    }
}

/// The answer to an `elicitation`, as MCP spells it.
///
/// An error reply counts as [`ElicitationAction::Cancel`].
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ElicitationReply {
    /// What the user did (`action`).
    pub action: ElicitationAction,
    /// The form as filled in, an object of texts, numbers, booleans and lists of texts (`content`).
    pub content: Option<RawJson>,
    /// What MCP lets a client add (`_meta`).
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
}

impl ElicitationReply {
    /// The user did this.
    pub fn new(action: ElicitationAction) -> Self {
        Self { action, content: None, meta: None }
    }

    /// The user filled in the form like this.
    pub fn accept(content: RawJson) -> Self {
        Self { content: Some(content), ..Self::new(ElicitationAction::Accept) }
    }

    /// The user refuses.
    pub fn decline() -> Self {
        Self::new(ElicitationAction::Decline)
    }

    /// The user went away without an answer.
    pub fn cancel() -> Self {
        Self::new(ElicitationAction::Cancel)
    }
}
