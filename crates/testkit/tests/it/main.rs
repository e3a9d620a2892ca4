//! The tests of the testkit itself.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

#[cfg(feature = "model")]
mod http;
#[cfg(feature = "model")]
mod model;
mod outline;
mod record;
mod redact;
#[cfg(feature = "scenario")]
mod scenario;
mod transcript;
