//! What decoding and callbacks are measured on, and what they are measured against: `docs/performance.md` says what came of it.

pub mod clock;
pub mod fixtures;
pub mod input;
pub mod marks;
pub mod plain;
#[cfg(unix)]
pub mod round_trips;
pub mod stream;
pub mod ways;
