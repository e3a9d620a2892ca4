//! Requests of the host to the CLI: one struct per request, paired with its reply.

mod context_usage;
mod files;
mod hooks_listing;
mod interrupt;
mod mcp_auth;
mod mcp_call;
mod mcp_read_resource;
mod mcp_servers;
mod mcp_status;
mod permission_rules;
mod queries;
mod reload;
mod session;
mod set_max_thinking_tokens;
mod set_model;
mod set_permission_mode;
mod settings;
mod status;
mod tasks;
mod usage;

use serde::{Serialize, Serializer, de::DeserializeOwned, ser::Error as _};

pub use context_usage::*;
pub use files::*;
pub use hooks_listing::*;
pub use interrupt::*;
pub use mcp_auth::*;
pub use mcp_call::*;
pub use mcp_read_resource::*;
pub use mcp_servers::*;
pub use mcp_status::*;
pub use permission_rules::*;
pub use queries::*;
pub use reload::*;
pub use session::*;
pub use set_max_thinking_tokens::*;
pub use set_model::*;
pub use set_permission_mode::*;
pub use settings::*;
pub use status::*;
pub use tasks::*;
pub use usage::*;

use crate::{RawJson, RequestId};

/// A request to the CLI with its reply type.
///
/// Serializes as a JSON object with the request's fields without `subtype`, or as a unit struct; [`OutboundRequest`]
/// writes `subtype` in front. Other values are an error.
/// Implement it for a custom type to send a request that this crate does not know; the crate's front page
/// has an example.
/// Require a field of a reply only if the reply is wrong without it: give other non-optional fields
/// `#[serde(default)]`, since an older CLI may leave them out, or may reply without a `response`.
///
/// ```
/// use agentwire_protocol::control::{ControlCall, Interrupt, InterruptReply, SetModel, SetModelReply};
///
/// # fn ask<C: ControlCall>(_: &C) -> C::Reply { agentwire_protocol::RawJson::empty_object().decode().unwrap() }
/// let interrupted: InterruptReply = ask(&Interrupt::default());
/// let model: SetModelReply = ask(&SetModel::new(None));
/// ```
///
/// The reply type of another request does not compile:
///
/// ```compile_fail,E0308
/// use agentwire_protocol::control::{ControlCall, Interrupt, SetModelReply};
///
/// # fn ask<C: ControlCall>(_: &C) -> C::Reply { agentwire_protocol::RawJson::empty_object().decode().unwrap() }
/// let model: SetModelReply = ask(&Interrupt::default());
/// ```
pub trait ControlCall: Serialize {
    /// The request's `subtype`.
    const SUBTYPE: &'static str;
    /// The `response` of a success. An absent one is read as an empty object.
    type Reply: DeserializeOwned + Send + 'static;
}

/// A request of the host to the CLI (`control_request`).
#[derive(Debug, Serialize)]
pub struct OutboundRequest<'a, C: ControlCall> {
    #[serde(rename = "type")]
    kind: &'static str,
    request_id: &'a RequestId,
    #[serde(serialize_with = "with_subtype")]
    request: &'a C,
}

impl<'a, C: ControlCall> OutboundRequest<'a, C> {
    /// Returns a request with this id, which must not be in use.
    pub fn new(request_id: &'a RequestId, call: &'a C) -> Self {
        Self { kind: "control_request", request_id, request: call }
    }
}

/// Writes the call's JSON with `subtype` in front. Serde's flattening would also accept values that are not objects.
fn with_subtype<C: ControlCall, S: Serializer>(call: &&C, serializer: S) -> Result<S::Ok, S::Error> {
    let fields = RawJson::encode(call).map_err(S::Error::custom)?;
    let fields = if fields.as_str() == "null" { "{}" } else { fields.as_str() };
    let fields = fields.strip_prefix('{').ok_or_else(|| S::Error::custom("a request must be an object"))?;
    let comma = if fields.trim_start().starts_with('}') { "" } else { "," };
    let request = format!(r#"{{"subtype":"{}"{comma}{fields}"#, C::SUBTYPE);
    RawJson::parse(request).map_err(S::Error::custom)?.serialize(serializer)
}

/// An empty reply.
#[wire(Copy, Default, Eq)]
pub struct Ack {}

impl From<Ack> for () {
    fn from(Ack {}: Ack) {}
}
