//! Around a question of an MCP server: `Elicitation` and `ElicitationResult`.

use serde::{Deserialize, Serialize};

use super::{CanBlock, HookReply, declare::hook_event};
use crate::{
    RawJson,
    elicitation::{ElicitationAction, ElicitationMode},
};

hook_event! {
    /// An MCP server asks the user something, before the host is asked by `elicitation`.
    ///
    /// A block declines, and the host is not asked.
    /// The event's own output had no effect from a callback of CLI 2.1.330: the host was asked all the same.
    Elicitation => ElicitationOutput, matched by "mcp_server_name", refusal |reason| Some(HookReply::block(reason));

    /// What `Elicitation` tells.
    ElicitationInput {
        /// The server (`mcp_server_name`).
        mcp_server_name: Box<str>,
        /// What it says to the user (`message`).
        #[serde(default)]
        message: String,
        /// Whether it wants a form filled in or a page opened (`mode`).
        mode: Option<ElicitationMode>,
        /// The page to open (`url`).
        url: Option<String>,
        /// The id under which the server tells that the page is done with (`elicitation_id`).
        elicitation_id: Option<Box<str>>,
        /// The JSON Schema of the form (`requested_schema`).
        requested_schema: Option<RawJson>,
    }
}

/// What only `Elicitation` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ElicitationOutput {
    /// The answer (`action`); `None` leaves it to the host.
    pub action: Option<ElicitationAction>,
    /// The form as filled in, with [`ElicitationAction::Accept`] (`content`).
    pub content: Option<RawJson>,
}

impl CanBlock for Elicitation {}

hook_event! {
    /// The user has answered an MCP server; the server does not know it yet.
    ///
    /// A block makes the answer a decline.
    /// The event's own output had no effect from a callback of CLI 2.1.330: the server got the user's answer.
    ElicitationResult => ElicitationResultOutput, matched by "mcp_server_name", refusal |reason| Some(HookReply::block(reason));

    /// What `ElicitationResult` tells.
    ElicitationResultInput {
        /// The server (`mcp_server_name`).
        mcp_server_name: Box<str>,
        /// The id under which the server tells that the page is done with (`elicitation_id`).
        elicitation_id: Option<Box<str>>,
        /// Whether it wanted a form filled in or a page opened (`mode`).
        mode: Option<ElicitationMode>,
        /// The answer (`action`).
        action: ElicitationAction,
        /// The form as filled in (`content`).
        content: Option<RawJson>,
    }
}

/// What only `ElicitationResult` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ElicitationResultOutput {
    /// The answer that the server is to get instead (`action`).
    pub action: Option<ElicitationAction>,
    /// The form as filled in (`content`).
    pub content: Option<RawJson>,
}

impl CanBlock for ElicitationResult {}
