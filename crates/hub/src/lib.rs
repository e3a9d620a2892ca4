#![doc = include_str!("../README.md")]

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
mod excerpt;
mod gateway;
mod handlers;
mod hub;
mod offers;
mod record;
mod server;
mod size;
mod spelling;
mod state;
mod transport;

pub use agentwire_hub_config::ServerName;
pub use agentwire_hub_names::{Misnamed, Named, NamedTool, Names, Naming};
pub use approval::{Approval, CallDecision, Proposed};
pub use audit::{Arguments, Audit, CallRecord, CallRecords, Ended, Rule, Use};
pub use call::{
    CallError, CallLimits, CallOutcome, CallRequest, DeniedBy, LeftOut, PromptRequest, ReadRequest, TimeLimit,
};
pub use catalog::{Catalog, List, ListProblem, Violation};
pub use client::Progress;
pub use connection::{Backoff, KeepAlive};
pub use event::{Change, Event};
pub use gateway::Gateway;
pub use handlers::{Elicitation, Handlers, LogMessage, Sampling};
pub use hub::{EventStream, Hub, HubBuilder, WeakHub};
pub use offers::Offers;
pub use record::{Level, StderrLine, Trouble};
pub use server::ServerSnapshot;
pub use state::{DisabledBy, ServerState};
