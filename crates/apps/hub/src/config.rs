//! The configuration of servers: files, variables, and problems in them.
//!
//! A [`ServerConfig`] is *raw*: its strings are as in the file, with variables.
//! The hub compares, shows and stores raw configuration only. Only a connection knows the values of variables.

pub use agentwire_hub_config::{
    Configuration, Configured, EditError, EditRefusal, Endpoint, Input, Launch, Origin, Patterns, Problem,
    ProblemKind, ServerConfig, Severity, Sources, Stdio, TextPosition, Variables,
};
pub(crate) use agentwire_hub_config::{Edit, Files, Resolved, ServerFiles, Watch, WatchSettings, resolve};
#[cfg(test)]
pub(crate) use agentwire_hub_config::{hold, unresponsive};
