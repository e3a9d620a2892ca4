//! What we ask of the CLI: one struct for each request, paired with its reply.

mod interrupt;
mod mcp_message;
mod mcp_status;
mod set_model;
mod set_permission_mode;

use serde::{Deserialize, Serialize, Serializer, de::DeserializeOwned};

pub use interrupt::{Interrupt, InterruptReply};
pub use mcp_message::SendMcpMessage;
pub use mcp_status::{McpStatus, McpStatusReply};
pub use set_model::{SetModel, SetModelReply};
pub use set_permission_mode::{SetPermissionMode, SetPermissionModeReply};

use crate::{RequestId, tagged::Inject};

/// A request to the CLI, and the reply that belongs to it.
///
/// Serializes as the request's fields without `subtype`.
/// Implement it for a type of your own to send a request that this crate does not know yet.
pub trait ControlCall: Serialize {
    /// The request's `subtype`.
    const SUBTYPE: &'static str;
    /// The `response` of a success. A reply without one is read from an empty object.
    type Reply: DeserializeOwned + Send + 'static;
}

/// A request on its way to the CLI (`control_request`, from us).
#[derive(Debug, Serialize)]
pub struct OutboundRequest<'a, C: ControlCall> {
    #[serde(rename = "type")]
    kind: &'static str,
    request_id: &'a RequestId,
    request: WithSubtype<'a, C>,
}

impl<'a, C: ControlCall> OutboundRequest<'a, C> {
    /// Asks `call` under `request_id`, which must not be in use.
    pub fn new(request_id: &'a RequestId, call: &'a C) -> Self {
        Self { kind: "control_request", request_id, request: WithSubtype(call) }
    }
}

#[derive(Debug)]
struct WithSubtype<'a, C>(&'a C);

impl<C: ControlCall> Serialize for WithSubtype<'_, C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Inject::new(&[], ("subtype", C::SUBTYPE), serializer))
    }
}

/// A reply that says nothing but that the request was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Nothing {}
