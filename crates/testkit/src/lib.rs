#![doc = include_str!("../README.md")]

#[cfg(feature = "bench")]
pub mod bench;
#[cfg(all(feature = "replay", target_os = "linux"))]
pub mod census;
#[cfg(all(feature = "faults", unix))]
mod fault_list;
#[cfg(all(feature = "faults", unix))]
pub mod fault_mcp;
#[cfg(all(feature = "faults", unix))]
pub mod faults;
#[cfg(any(feature = "replay", feature = "conformance"))]
#[cfg_attr(
    not(all(feature = "replay", feature = "conformance")),
    allow(dead_code, reason = "each of the two features uses a part of it")
)]
mod ids;
#[cfg(any(feature = "replay", feature = "conformance"))]
#[cfg_attr(
    not(all(feature = "replay", feature = "conformance")),
    allow(dead_code, reason = "each of the two features uses a part of it")
)]
mod json;
pub mod outline;
pub mod record;
#[cfg(any(feature = "replay", feature = "conformance"))]
#[cfg_attr(
    not(all(feature = "replay", feature = "conformance")),
    allow(dead_code, reason = "each of the two features uses a part of it")
)]
mod recorded;
pub mod redact;
#[cfg(any(feature = "replay", feature = "conformance"))]
mod splits;
pub mod transcript;

#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "continued")]
pub mod continued;
#[cfg(feature = "replay")]
pub mod replay;
#[cfg(feature = "view")]
pub mod view;

#[cfg(feature = "model")]
pub mod model;
#[cfg(feature = "scenario")]
pub mod scenario;

#[cfg(feature = "model")]
pub use model::{ModelError, ScriptedModel, script::Script};
pub use outline::Outline;
pub use record::Recorder;
pub use redact::Redactor;
#[cfg(feature = "replay")]
pub use replay::{Replay, ReplayHandle, ReplayReport};
#[cfg(feature = "scenario")]
pub use scenario::Scenario;
#[cfg(any(feature = "replay", feature = "conformance"))]
pub use splits::Splits;
pub use transcript::{
    Argv, End, Entry, Header, ParseError, Transcript, TranscriptWriter, Version, WriteError,
};
