//! Integration tests of the crate.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "what the tests share is test code too")]

mod proof;
mod proxy;
mod server;
mod tls;
