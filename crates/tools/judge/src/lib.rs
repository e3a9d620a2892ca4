#![doc = include_str!("../README.md")]

#[cfg(target_os = "linux")]
pub mod census;
pub mod conformance;
pub mod continued;
pub mod outline;
pub mod scenario;

pub use outline::Outline;
pub use scenario::Scenario;
