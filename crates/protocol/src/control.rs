//! The control protocol: requests and responses that travel between the messages, in both directions.

mod envelope;
mod inbound;
mod initialize;
mod outbound;
mod visit_calls;

pub use envelope::{ControlCancelRequest, ControlRequest, ControlResponse, Failure, Outcome, Success};
pub use inbound::{
    CanUseTool, DialogCancelled, DialogChoice, ElicitationAsked, HookCallback, InboundCall, InboundRequest,
    MatchedAskRule, McpMessage, McpMessageReply, RequestUserDialog, UserDialogReply,
};
pub use initialize::{HookFailure, HookMatcher, Initialize, InitializeReply};
pub use outbound::{
    ControlCall, Interrupt, InterruptReply, McpStatus, McpStatusReply, Nothing, OutboundRequest,
    SendMcpMessage, SetModel, SetModelReply, SetPermissionMode, SetPermissionModeReply,
};
pub use visit_calls::{CallVisitor, visit_calls};
