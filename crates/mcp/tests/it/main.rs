//! The bridge, as the CLI sees it: `mcp_message` in, answers out, over an in-memory transport.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests share is test code too"
)]

mod by_hand;
#[cfg(feature = "schemars")]
mod calls;
#[cfg(feature = "schemars")]
mod check;
mod cli;
#[cfg(feature = "rmcp")]
mod handler;
mod in_flight;
#[cfg(feature = "rmcp")]
mod library;
#[cfg(feature = "schemars")]
mod manifests;
#[cfg(feature = "schemars")]
mod output_schema;
mod played;
mod policy;
mod resources_and_prompts;
#[cfg(feature = "schemars")]
mod server;
#[cfg(feature = "schemars")]
mod speaking;
