#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "auth")]
pub mod auth;
pub mod config;
pub mod llm;

mod approval;
mod audit;
mod call;
mod catalog;
mod client;
mod connection;
mod event;
mod handlers;
mod hub;
mod lock;
mod offers;
mod outcome;
mod servers;
mod spelling;
mod state;

#[cfg(feature = "auth")]
use agentwire_hub_transport::oauth;
use agentwire_hub_transport::{self as transport, record, size};

pub use agentwire_hub_config::ServerName;
pub use agentwire_hub_names::{Misnamed, Named, NamedTool, Names, Naming};
pub use agentwire_hub_transport::record::{StderrLine, Trouble};
pub use agentwire_hub_transport::stdio::hubs_above;
pub use approval::{Approval, CallDecision, Proposed};
pub use audit::{Arguments, Audit, CallEnd, CallRecord, CallRecords, Rule, Use};
pub use call::{CallRequest, PromptRequest, ReadRequest};
pub use catalog::{Catalog, ListProblem};
pub use client::Progress;
pub use connection::{Backoff, KeepAlive};
pub use event::{Change, Event, EventStream};
pub use handlers::{ClientHandlers, Elicitation, LogMessage, Sampling};
pub use hub::{Gateway, Hub, HubBuilder};
pub use offers::Offers;
pub use outcome::{CallError, CallLimits, CallOutcome, DeniedBy, LeftOut, TimeLimit, Violation};
/// The MCP SDK. This API uses its types for tools, content and the handlers of a gateway.
pub use rmcp;
pub use state::{DisabledBy, ServerSnapshot, ServerState};

/// The pages of the guide about the hub, so that their code is compiled; published packages do not contain them.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../../../docs/hub.md")]
    mod hub {}
    #[doc = include_str!("../../../../docs/hub-authorization.md")]
    mod hub_authorization {}
}
