//! `UserPromptSubmit`: a prompt is on its way to the model.

use serde::{Deserialize, Serialize};

use super::{HookReply, declare::hook_event};

hook_event! {
    /// A prompt is on its way to the model: it may be blocked, and the model told something beside it.
    UserPromptSubmit => UserPromptSubmitOutput, refusal |reason| Some(HookReply::block_prompt(reason));

    /// What `UserPromptSubmit` tells.
    UserPromptSubmitInput {
        /// The prompt's text.
        prompt: String,
        /// Where the prompt came from.
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<Box<str>>,
        /// The session's title.
        #[serde(skip_serializing_if = "Option::is_none")]
        session_title: Option<String>,
    }
}

/// What only `UserPromptSubmit` can say.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UserPromptSubmitOutput {
    /// Text for the model beside the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_context: Option<String>,
    /// A title for the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
    /// Whether to keep the prompt's text out of the notice that it was blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppress_original_prompt: Option<bool>,
}

impl HookReply<UserPromptSubmit> {
    /// Tells the model something beside the prompt.
    pub fn context(text: impl Into<String>) -> Self {
        let text = Some(text.into());
        Self::output(UserPromptSubmitOutput { additional_context: text, ..UserPromptSubmitOutput::default() })
    }

    /// The prompt does not reach the model; the turn ends with this text as its result.
    pub fn block_prompt(reason: impl Into<String>) -> Self {
        Self::blocked(reason)
    }
}
