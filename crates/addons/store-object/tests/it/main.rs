//! Integration tests of the crate.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what the tests share is test code too")]

mod faulty;
mod memory;
mod server;
