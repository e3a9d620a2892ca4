#![doc = include_str!("../README.md")]

pub mod llm;

mod names;

pub use agentwire_hub_config::ServerName;
pub use names::{Misnamed, Named, NamedTool, Names, Naming, Uris};
