//! `mcp_message`: a JSON-RPC message from one of our servers to the CLI.

use serde::{Deserialize, Serialize};

use super::{Ack, ControlCall};
use crate::RawJson;

/// A JSON-RPC message from one of our in-process MCP servers to the CLI (`mcp_message`).
///
/// The reply only says that it came; an answer to a JSON-RPC request comes as an `mcp_message` of its own.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SendMcpMessage {
    /// The server, by the name that it was declared under.
    pub server_name: Box<str>,
    /// The message.
    pub message: RawJson,
}

impl SendMcpMessage {
    /// A message of that server's.
    pub fn new(server_name: impl Into<Box<str>>, message: RawJson) -> Self {
        Self { server_name: server_name.into(), message }
    }
}

impl ControlCall for SendMcpMessage {
    const SUBTYPE: &'static str = "mcp_message";
    type Reply = Ack;
}
