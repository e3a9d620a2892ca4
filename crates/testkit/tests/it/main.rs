//! The tests of the testkit itself.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

#[cfg(feature = "conformance")]
mod conformance;
#[cfg(feature = "facade")]
mod facade;
#[cfg(all(feature = "faults", unix))]
mod faults;
#[cfg(feature = "model")]
mod http;
#[cfg(feature = "scenario")]
mod live;
#[cfg(feature = "model")]
mod model;
mod outline;
mod record;
mod redact;
#[cfg(feature = "replay")]
mod replay;
#[cfg(feature = "scenario")]
mod scenario;
mod transcript;
#[cfg(feature = "conformance")]
mod transport;
#[cfg(feature = "view")]
mod view;
