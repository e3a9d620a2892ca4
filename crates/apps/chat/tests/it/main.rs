//! The tests of the chat loop, as one program.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what the tests share is test code too")]

mod chat;
mod program;
mod toy;
