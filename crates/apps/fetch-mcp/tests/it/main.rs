//! Tests of the server through a client, with HTTP servers on loopback.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

mod client;
mod limits;
mod pages;
mod private;
mod program;
mod site;
mod tls;
