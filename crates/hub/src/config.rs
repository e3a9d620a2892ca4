//! What the user configured: read, resolved, edited and watched.
//!
//! A [`ServerConfig`] is *raw*: strings are as they are in the file, variables and all.
//! Only raw configuration is compared, shown and stored.
//! What the variables stand for is known to the connection alone.

mod bounded;
mod edit;
mod env_file;
mod file;
mod fingerprint;
mod launch;
mod problem;
mod resolve;
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "addresses are told, and not reached"))]
mod resolved;
mod server;
mod sources;
pub(crate) mod syntax;
mod text;
mod variables;
mod watch;
mod written;

#[cfg(test)]
pub(crate) use edit::hold;
pub(crate) use edit::{Edit, Fingerprint};
pub use edit::{EditError, Refusal};
pub use launch::{Endpoint, Launch, Stdio};
pub use problem::{Position, Problem, ProblemKind, Severity};
pub(crate) use resolve::{resolve, variables_file, watched};
pub(crate) use resolved::Resolved;
pub use server::{Configured, Origin, Patterns, ServerConfig};
pub use sources::{Configuration, Sources};
pub use variables::{Input, Variables};
pub(crate) use watch::{Settings as WatchSettings, Watch};
