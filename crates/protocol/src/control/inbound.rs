//! What the CLI asks of us: one struct for each request, paired with its reply.

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
    /// Each must be answered, or the CLI waits: with an error where nobody handles it.
    /// A CLI that was lent an account by its host asks for fresh tokens too; those requests are declared nowhere, were
    /// never seen, and come as [`Unknown`](Self::Unknown).
    pub enum InboundRequest by "subtype" {
        /// May the model use this tool?
        CanUseTool(Box<CanUseTool>) = "can_use_tool",
        /// A hook fires.
        HookCallback(Box<HookCallback>) = "hook_callback",
        /// A JSON-RPC message for an in-process MCP server.
        McpMessage(Box<McpMessage>) = "mcp_message",
        /// An MCP server asks the user something.
        Elicitation(Box<ElicitationAsked>) = "elicitation",
        /// A dialog for the user.
        UserDialog(Box<RequestUserDialog>) = "request_user_dialog",
    }
}

/// A request of the CLI, and the reply that belongs to it.
///
/// Reads the request's fields without `subtype`.
pub trait InboundCall: Serialize + DeserializeOwned {
    /// The request's `subtype`.
    const SUBTYPE: &'static str;
    /// What a success is answered with.
    type Reply: Serialize + DeserializeOwned + Send + 'static;
}
