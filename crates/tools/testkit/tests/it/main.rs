//! The tests of the testkit itself.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

#[path = "../../../../codec/tests/it/cpu.rs"]
mod cpu;
#[cfg(all(feature = "faults", unix))]
mod faults;
#[cfg(feature = "model")]
mod http;
#[cfg(feature = "model")]
mod model;
#[cfg(feature = "replay")]
mod readers;
mod record;
mod redact;
#[cfg(feature = "replay")]
mod replay;
mod transcript;
#[cfg(feature = "replay")]
mod transport;
