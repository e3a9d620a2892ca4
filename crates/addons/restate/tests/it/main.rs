//! The client, the workers' interface and the handlers, with a server of the test instead of Restate.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what the tests share is test code too")]

mod client;
mod handlers;
mod host;
mod invocation;
mod node;
mod objects;

use agentwire_worker::SessionName;

pub(crate) const SESSION: &str = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";
pub(crate) const PROMPT: &str = "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10";

pub(crate) fn session() -> SessionName {
    SessionName::new("tenant", SESSION)
}
