//! `mcp_read_resource`: a UI resource of an MCP server.

use crate::RawJson;

/// Reads a UI resource of an MCP server that the CLI runs (`mcp_read_resource`).
///
/// The CLI rejects in-process servers. CLI 2.1.197 does not support it.
#[wire(Eq, camelCase, new)]
pub struct McpReadResource {
    /// The server, by its name in `mcp_status`.
    pub server_name: Box<str>,
    /// The URI; it must start with `ui://`.
    pub uri: String,
}

/// An unvalidated resource.
#[wire(Default, Eq, tolerant)]
pub struct McpReadResourceReply {
    /// The contents.
    pub contents: Vec<ResourceContents>,
}

/// An item of a resource's contents: it has either `text` or `blob`.
#[wire(Eq, camelCase)]
pub struct ResourceContents {
    /// The URI.
    pub uri: String,
    /// The MIME type.
    pub mime_type: Option<Box<str>>,
    /// The text.
    pub text: Option<String>,
    /// The bytes, in Base64.
    pub blob: Option<String>,
    /// The item's metadata.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
}
