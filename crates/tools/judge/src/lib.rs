#![doc = include_str!("../README.md")]
#![allow(clippy::exhaustive_enums, clippy::exhaustive_structs, reason = "shared inside the workspace only")]

#[cfg(target_os = "linux")]
pub mod census;
pub mod conformance;
pub mod continued;
pub mod outline;
pub mod scenario;

use std::error::Error;

pub use outline::Outline;
pub use scenario::Scenario;

/// The reason why a scenario or a check failed.
pub type Failure = Box<dyn Error + Send + Sync>;
