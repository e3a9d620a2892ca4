#![doc = include_str!("../README.md")]

pub mod transcript;

#[cfg(feature = "model")]
pub mod model;

#[cfg(feature = "model")]
pub use model::{ModelError, ScriptedModel, script::Script};
pub use transcript::{
    Argv, End, Entry, Header, ParseError, Transcript, TranscriptWriter, Version, WriteError,
};
