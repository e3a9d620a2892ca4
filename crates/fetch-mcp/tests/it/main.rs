//! The server as a client sees it, against HTTP servers on the loopback that say what each test needs.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

mod client;
mod limits;
mod pages;
mod private;
mod program;
mod site;
mod tls;
