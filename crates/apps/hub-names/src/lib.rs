#![doc = include_str!("../README.md")]

pub mod llm;

mod names;
mod tool;

pub use agentwire_hub_config::ServerName;
pub use names::{Misnamed, Named, Names, Naming, Uris};
pub use tool::NamedTool;
