//! `system/elicitation_complete`: the user completed a URL elicitation.

use crate::{SessionId, Uuid};

/// An MCP server confirms that a URL elicitation is completed (`system/elicitation_complete`).
#[wire]
pub struct ElicitationComplete {
    /// The server.
    #[serde(default)]
    pub mcp_server_name: Box<str>,
    /// The id of the elicitation.
    #[serde(default)]
    pub elicitation_id: Box<str>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}
