//! Hooks from the CLI's side: requests in, answers out, over an in-memory transport.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests share is test code too"
)]

mod asking;
mod cli;
mod declaration;
mod failure;
mod guide;
mod handlers;
mod limit;
mod permission;
mod policy;
mod problem;
mod reply;
mod router;
mod strict;
mod terminal;
