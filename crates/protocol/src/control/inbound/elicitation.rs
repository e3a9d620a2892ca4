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
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ElicitationAsked {
    /// The server (`mcp_server_name`).
    pub mcp_server_name: Box<str>,
    /// What it says to the user (`message`).
    #[serde(default)]
    pub message: String,
    /// Whether it wants a form filled in or a page opened (`mode`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ElicitationMode>,
    /// The page to open (`url`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The id under which the server tells that the page is done with (`elicitation_id`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<Box<str>>,
    /// The JSON Schema of the form (`requested_schema`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_schema: Option<RawJson>,
    /// The form's fields in the server's order, for whoever can't keep the schema's (`property_order`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property_order: Option<Vec<String>>,
    /// A heading for the question, of the server's (`title`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Box<str>>,
    /// The server's name for people, of its own (`display_name`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<Box<str>>,
    /// What the question is for, in the server's words (`description`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl InboundCall for ElicitationAsked {
    const SUBTYPE: &'static str = "elicitation";
    type Reply = ElicitationReply;
}
