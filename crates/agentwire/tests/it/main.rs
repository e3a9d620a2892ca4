//! The facade, with scripted peers and with real processes.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "all of it is tests, also what stands outside of test functions"
)]

mod answers;
mod asking;
mod backpressure;
mod bare;
#[cfg(feature = "blocking")]
mod blocking;
mod cancel;
mod control;
mod deferral;
mod ending;
mod errors;
mod faulty_transports;
mod guarded;
mod hooks;
#[cfg(feature = "mcp")]
mod mcp;
mod observing;
#[cfg(feature = "mcp")]
mod opentelemetry;
mod options;
mod options_start;
mod options_wire;
mod output_format;
mod peer;
mod permissions;
mod query;
mod readme;
mod session;
#[cfg(feature = "sessions")]
mod session_store;
mod settings;
mod spare;
mod streaming;
mod tcp;
mod turns;
mod undecodable;
