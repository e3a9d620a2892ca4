//! Integration tests of the crate.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

mod contract;
#[cfg(feature = "http")]
mod http;
mod memory;
mod model;
#[cfg(feature = "redis")]
mod server;
