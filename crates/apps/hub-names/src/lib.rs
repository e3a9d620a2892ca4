#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod llm;

mod names;

pub use agentwire_hub_config::ServerName;
pub use names::{Misnamed, Named, NamedTool, Names, Naming, Rewrite, Uris};
