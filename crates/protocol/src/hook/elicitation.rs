//! Elicitation events: `Elicitation` and `ElicitationResult`.

use super::{HookReply, declare::hook_event};
use crate::{
    RawJson,
    elicitation::{ElicitationAction, ElicitationMode},
};

hook_event! {
    /// An MCP server sends an elicitation; fires before the host receives it.
    ///
    /// A block declines the elicitation, and the host does not receive it.
    /// In CLI 2.1.330 the event-specific output of a callback has no effect: the host still receives the elicitation.
    Elicitation => ElicitationOutput, matched by "mcp_server_name", refusal |reason| Some(HookReply::block(reason)),
        can block;

    /// The input of `Elicitation`.
    ElicitationInput {
        /// The server (`mcp_server_name`).
        mcp_server_name: Box<str>,
        /// The message for the user (`message`).
        #[serde(default)]
        message: String,
        /// The kind: a form or a page to open (`mode`).
        mode: Option<ElicitationMode>,
        /// The URL of the page to open (`url`).
        url: Option<String>,
        /// The id by which the server reports that the page is completed (`elicitation_id`).
        elicitation_id: Option<Box<str>>,
        /// The JSON Schema of the form (`requested_schema`).
        requested_schema: Option<RawJson>,
    }
}

/// The event-specific output of `Elicitation` and `ElicitationResult`.
#[wire(Default)]
pub struct ElicitationOutput {
    /// The answer (`action`); `None` leaves the decision to the host, or keeps the user's answer.
    pub action: Option<ElicitationAction>,
    /// The filled-in form, with [`ElicitationAction::Accept`] (`content`).
    pub content: Option<RawJson>,
}

hook_event! {
    /// The user answered an elicitation; fires before the server receives the answer.
    ///
    /// A block changes the answer to a decline.
    /// In CLI 2.1.330 the event-specific output of a callback has no effect: the server receives the user's answer.
    ElicitationResult => ElicitationOutput, matched by "mcp_server_name", refusal |reason| Some(HookReply::block(reason)),
        can block;

    /// The input of `ElicitationResult`.
    ElicitationResultInput {
        /// The server (`mcp_server_name`).
        mcp_server_name: Box<str>,
        /// The id by which the server reports that the page is completed (`elicitation_id`).
        elicitation_id: Option<Box<str>>,
        /// The kind: a form or a page to open (`mode`).
        mode: Option<ElicitationMode>,
        /// The answer (`action`).
        action: ElicitationAction,
        /// The filled-in form (`content`).
        content: Option<RawJson>,
    }
}
