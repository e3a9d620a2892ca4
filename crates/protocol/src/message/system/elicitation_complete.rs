//! `system/elicitation_complete`: what a person was sent away to do is done.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// An MCP server confirms that what it asked for by a URL is done (`system/elicitation_complete`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ElicitationComplete {
    /// The server.
    #[serde(default)]
    pub mcp_server_name: Box<str>,
    /// Its question.
    #[serde(default)]
    pub elicitation_id: Box<str>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
