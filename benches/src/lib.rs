//! What the library is measured on, and what it is measured against: `docs/performance.md` says what came of it.

pub mod clock;
pub mod fixtures;
mod handlers;
pub mod input;
pub mod marks;
pub mod memory;
pub mod peer;
pub mod plain;
pub mod round_trip;
pub mod sessions;
pub mod ways;
pub mod words;

#[cfg(unix)]
pub mod clients;
#[cfg(unix)]
pub mod measured;
#[cfg(unix)]
mod one_core;
#[cfg(unix)]
pub mod outcome;
#[cfg(unix)]
pub mod peers;
#[cfg(unix)]
pub mod rounds;
#[cfg(unix)]
pub mod run;
#[cfg(unix)]
pub mod tables;
