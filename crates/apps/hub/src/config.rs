//! The configuration of servers: files, variables, and problems in them.
//!
//! A [`ServerConfig`] is *raw*: its strings are as in the file, with variables.
//! The hub compares, shows and stores raw configuration only. Only a connection knows the values of variables.

pub use agentwire_hub_config::{
    Configuration, Configured, EditError, Endpoint, Input, Launch, Origin, Patterns, Position, Problem,
    ProblemKind, Refusal, ServerConfig, Severity, Sources, Stdio, Variables,
};
pub(crate) use agentwire_hub_config::{Edit, Files, Resolved, ServerFiles, Watch, WatchSettings, resolve};
#[cfg(test)]
pub(crate) use agentwire_hub_config::{hold, unresponsive};
