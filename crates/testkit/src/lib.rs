#![doc = include_str!("../README.md")]

pub mod outline;
pub mod record;
pub mod redact;
pub mod transcript;

#[cfg(feature = "model")]
pub mod model;
#[cfg(feature = "scenario")]
pub mod scenario;

#[cfg(feature = "model")]
pub use model::{ModelError, ScriptedModel, script::Script};
pub use outline::Outline;
pub use record::Recorder;
pub use redact::Redactor;
#[cfg(feature = "scenario")]
pub use scenario::Scenario;
pub use transcript::{
    Argv, End, Entry, Header, ParseError, Transcript, TranscriptWriter, Version, WriteError,
};
