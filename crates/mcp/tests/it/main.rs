//! The bridge, as the CLI sees it: `mcp_message` in, answers out, over an in-memory transport.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests share is test code too"
)]

mod by_hand;
#[cfg(feature = "schemars")]
mod check;
mod cli;
#[cfg(feature = "schemars")]
mod direct;
#[cfg(feature = "rmcp")]
mod handler;
mod in_flight;
#[cfg(feature = "schemars")]
mod manifests;
#[cfg(feature = "rmcp")]
mod offers;
mod played;
mod policy;
#[cfg(feature = "schemars")]
mod promises;
#[cfg(feature = "schemars")]
mod server;
#[cfg(feature = "schemars")]
mod speaking;
