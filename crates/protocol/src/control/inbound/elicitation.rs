//! `elicitation`: a question of an MCP server to the user.

use crate::{RawJson, elicitation::ElicitationMode};

/// A question of an MCP server to the user (`elicitation`).
///
/// Only servers that the CLI runs can send elicitations; the CLI rejects those of in-process servers.
/// The CLI treats an error reply as a cancellation, and cancels the request on an interrupt.
#[wire]
pub struct ElicitationAsked {
    /// The server (`mcp_server_name`).
    pub mcp_server_name: Box<str>,
    /// The message for the user (`message`).
    #[serde(default)]
    pub message: String,
    /// The kind: a form or a page to open (`mode`).
    pub mode: Option<ElicitationMode>,
    /// The URL of the page to open (`url`).
    pub url: Option<String>,
    /// The id by which the server reports that the page is completed (`elicitation_id`).
    pub elicitation_id: Option<Box<str>>,
    /// The JSON Schema of the form (`requested_schema`).
    pub requested_schema: Option<RawJson>,
    /// The names of the form's fields in the server's order, since JSON objects may lose the schema's
    /// (`property_order`).
    pub property_order: Option<Vec<String>>,
    /// The server's heading for the question (`title`).
    pub title: Option<Box<str>>,
    /// The server's display name (`display_name`).
    pub display_name: Option<Box<str>>,
    /// The purpose of the question, in the server's words (`description`).
    pub description: Option<String>,
}
