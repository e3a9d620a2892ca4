#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![expect(unexpected_cfgs, reason = "`cargo xtask fuzz` sets `fuzzing`")]

mod edit;
mod env_file;
mod file;
mod files;
mod fingerprint;
#[cfg(fuzzing)]
pub mod fuzzing;
mod launch;
mod name;
mod problem;
mod reading;
mod resolve;
mod server;
mod server_files;
mod sources;
mod syntax;
mod variables;
mod watch;

pub use edit::{Edit, EditError, EditRefusal};
pub use files::Files;
pub use launch::{Endpoint, Launch, Resolved, Stdio};
pub use name::ServerName;
pub use problem::{Problem, ProblemKind, Severity, TextPosition};
pub use resolve::resolve;
pub use server::{Configured, Origin, Patterns, ServerConfig};
pub use server_files::ServerFiles;
pub use sources::{Configuration, Sources};
pub use variables::{Input, Variables};
pub use watch::{Settings as WatchSettings, Watch};
#[doc(hidden)]
pub use {edit::hold, reading::unresponsive};
