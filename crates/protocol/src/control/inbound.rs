//! Requests of the CLI to the host: one struct per request, paired with its reply.

mod can_use_tool;
mod elicitation;
mod hook_callback;
mod mcp_message;
mod user_dialog;

use serde::{Serialize, de::DeserializeOwned};

use crate::{RawJson, elicitation::ElicitationReply, permission::Decision};

pub use can_use_tool::{CanUseTool, MatchedAskRule};
pub use elicitation::ElicitationAsked;
pub use hook_callback::HookCallback;
pub use mcp_message::{McpMessage, McpMessageReply};
pub use user_dialog::{DialogCancelled, DialogChoice, RequestUserDialog, RequestUserDialogReply};

/// A request of the CLI.
///
/// The CLI waits for each response: send an error for a request without a handler.
/// A CLI that uses an account of its host also requests fresh tokens. Those requests are undeclared and were never
/// seen. Like requests of a host, they are read as [`Unknown`](Self::Unknown). `Debug` hides unknown requests, which
/// may contain keys.
#[wire(tag = "subtype", hides = unknown)]
pub enum InboundRequest {
    /// A permission request for a tool use.
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

/// Pairs each request with its `subtype` and its reply.
macro_rules! inbound_calls {
    ($($request:ident = $subtype:literal => $reply:ty;)+) => {
        $(
            impl InboundCall for $request {
                const SUBTYPE: &'static str = $subtype;
                type Reply = $reply;
            }
        )+
    };
}

inbound_calls! {
    CanUseTool = "can_use_tool" => Decision;
    // The reply depends on the event.
    HookCallback = "hook_callback" => RawJson;
    McpMessage = "mcp_message" => McpMessageReply;
    ElicitationAsked = "elicitation" => ElicitationReply;
    RequestUserDialog = "request_user_dialog" => RequestUserDialogReply;
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
