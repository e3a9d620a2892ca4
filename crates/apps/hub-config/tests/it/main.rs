//! Tests of reading configuration files.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what the tests share is test code too")]

#[path = "../../../../codec/tests/it/cpu.rs"]
mod cpu;
mod files;
mod odd;
mod sources;
