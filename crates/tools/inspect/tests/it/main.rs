//! The parts of the comparison; `agentwire decode` has snapshots of the whole.
#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

mod compare;
mod encode;
mod node;
mod requests;
mod slice;
