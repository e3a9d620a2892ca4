//! `system/elicitation_complete`: the user completed a URL elicitation.

/// An MCP server confirms that a URL elicitation is completed (`system/elicitation_complete`).
#[wire(tolerant, message)]
pub struct ElicitationComplete {
    /// The server.
    pub mcp_server_name: Box<str>,
    /// The id of the elicitation.
    pub elicitation_id: Box<str>,
}
