//! The control protocol: the router alone, as scripts and as properties, and the driver over an in-memory transport.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what the tests share is test code too")]

#[cfg(feature = "driver")]
mod clock;
#[cfg(feature = "driver")]
mod driver;
mod properties;
mod router;
mod script;
