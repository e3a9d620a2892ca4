#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "replay")]
pub mod conformance;
#[cfg(feature = "replay")]
mod eventually;
#[cfg(all(feature = "faults", unix))]
mod fault_list;
#[cfg(all(feature = "faults", unix))]
pub mod fault_mcp;
#[cfg(all(feature = "faults", unix))]
mod fault_plan;
#[cfg(all(feature = "faults", unix))]
mod fault_process;
#[cfg(all(feature = "faults", unix))]
pub mod faults;
#[cfg(feature = "model")]
pub mod model;
pub mod record;
pub mod redact;
#[cfg(feature = "replay")]
pub mod replay;
mod signals;
pub mod transcript;

// Shared with the workspace's own judge of recordings, and no part of the API.
#[doc(hidden)]
pub mod excerpt;
#[cfg(feature = "replay")]
#[doc(hidden)]
pub mod ids;
#[cfg(feature = "replay")]
#[doc(hidden)]
#[allow(clippy::exhaustive_enums, clippy::exhaustive_structs, reason = "shared inside the workspace only")]
pub mod json;
#[cfg(feature = "replay")]
#[doc(hidden)]
#[allow(clippy::exhaustive_enums, clippy::exhaustive_structs, reason = "shared inside the workspace only")]
pub mod recorded;
#[cfg(feature = "replay")]
#[doc(hidden)]
pub mod splits;

#[cfg(feature = "replay")]
pub use eventually::eventually;
#[cfg(feature = "model")]
pub use model::{ModelError, ScriptedModel, script::Script};
pub use record::Recorder;
pub use redact::Redactor;
#[cfg(feature = "replay")]
pub use replay::{Replay, ReplayHandle, ReplayReport};
#[cfg(feature = "replay")]
pub use splits::Splits;
pub use transcript::{Argv, End, Header, ParseError, Transcript, Version, WriteError};
