//! The crate's integration tests, one file for each topic.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what the tests share is test code too")]

mod calls;
mod control;
mod faults;
mod hook_events;
mod hooks;
mod hostile;
mod inbound;
mod messages;
mod odd;
mod permissions;
mod places;
mod positions;
mod properties;
mod sent;
mod settings;
mod size;
mod surrogate;
mod tagged;
mod tolerant;
mod tool_input;
mod tree;
