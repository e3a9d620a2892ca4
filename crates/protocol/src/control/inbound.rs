//! Requests of the CLI to the host: one struct per request, paired with its reply.

mod can_use_tool;
mod elicitation;
mod hook_callback;
mod mcp_message;
mod user_dialog;

use serde::{Serialize, de::DeserializeOwned};

pub use can_use_tool::{CanUseTool, MatchedAskRule};
pub use elicitation::ElicitationAsked;
pub use hook_callback::HookCallback;
pub use mcp_message::{McpMessage, McpMessageReply};
pub use user_dialog::{DialogCancelled, DialogChoice, RequestUserDialog, RequestUserDialogReply};

use crate::tagged::tagged;

tagged! {
    /// A request of the CLI.
    ///
    /// The CLI waits for each response: send an error for a request without a handler.
    /// A CLI that uses an account of its host also requests fresh tokens. Those requests are undeclared and
    /// unseen, and are read as [`Unknown`](Self::Unknown).
    pub enum InboundRequest by "subtype" {
        /// A permission request for a tool call.
        CanUseTool(Box<CanUseTool>) = "can_use_tool",
        /// The call of a hook callback.
        HookCallback(Box<HookCallback>) = "hook_callback",
        /// A JSON-RPC message for an in-process MCP server.
        McpMessage(Box<McpMessage>) = "mcp_message",
        /// A question of an MCP server to the user.
        Elicitation(Box<ElicitationAsked>) = "elicitation",
        /// A dialog with the user.
        UserDialog(Box<RequestUserDialog>) = "request_user_dialog",
    }
}

/// A request of the CLI with its reply type.
///
/// Deserializes from the request's fields without `subtype`.
pub trait InboundCall: Serialize + DeserializeOwned {
    /// The request's `subtype`.
    const SUBTYPE: &'static str;
    /// The reply of a successful response.
    type Reply: Serialize + DeserializeOwned + Send + 'static;
}
