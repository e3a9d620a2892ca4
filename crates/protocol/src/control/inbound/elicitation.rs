//! `elicitation`: an MCP server asks the user something.

use serde::{Deserialize, Serialize};

use super::InboundCall;
use crate::{
    RawJson,
    elicitation::{ElicitationMode, ElicitationReply},
};

/// An MCP server asks the user something (`elicitation`).
///
/// Only servers that the CLI runs itself can ask; an in-process one is refused by the CLI.
/// An error reply counts as a cancel, and an interrupt takes the question back.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ElicitationAsked {
    /// The server (`mcp_server_name`).
    pub mcp_server_name: Box<str>,
    /// What it says to the user (`message`).
    #[serde(default)]
    pub message: String,
    /// Whether it wants a form filled in or a page opened (`mode`).
    pub mode: Option<ElicitationMode>,
    /// The page to open (`url`).
    pub url: Option<String>,
    /// The id under which the server tells that the page is done with (`elicitation_id`).
    pub elicitation_id: Option<Box<str>>,
    /// The JSON Schema of the form (`requested_schema`).
    pub requested_schema: Option<RawJson>,
    /// The form's fields in the server's order, for whoever can't keep the schema's (`property_order`).
    pub property_order: Option<Vec<String>>,
    /// A heading for the question, of the server's (`title`).
    pub title: Option<Box<str>>,
    /// The server's name for people, of its own (`display_name`).
    pub display_name: Option<Box<str>>,
    /// What the question is for, in the server's words (`description`).
    pub description: Option<String>,
}

impl InboundCall for ElicitationAsked {
    const SUBTYPE: &'static str = "elicitation";
    type Reply = ElicitationReply;
}
