#![doc = include_str!("../README.md")]

mod bounded;
mod edit;
mod env_file;
mod file;
mod files;
mod fingerprint;
mod launch;
mod name;
mod problem;
mod resolve;
mod resolved;
mod server;
mod server_files;
mod sources;
mod syntax;
mod text;
mod variables;
mod watch;
mod written;

#[doc(hidden)]
pub use edit::hold;
pub use edit::{Edit, EditError, Refusal};
pub use files::Files;
pub use launch::{Endpoint, Launch, Stdio};
pub use name::ServerName;
pub use problem::{Position, Problem, ProblemKind, Severity};
pub use resolve::resolve;
pub use resolved::Resolved;
pub use server::{Configured, Origin, Patterns, ServerConfig};
pub use server_files::ServerFiles;
pub use sources::{Configuration, Sources};
pub use variables::{Input, Variables};
pub use watch::{Settings as WatchSettings, Watch};
