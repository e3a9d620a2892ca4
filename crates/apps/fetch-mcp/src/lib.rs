#![doc = include_str!("../README.md")]
#![expect(unexpected_cfgs, reason = "`cargo xtask fuzz` sets `fuzzing`")]

mod server;

mod options;

mod charset;
mod deadline;
mod error;
mod fetch;
#[cfg(fuzzing)]
pub mod fuzzing;
mod html;
mod media;
mod page;
mod resolver;

pub use error::BuildError;
pub use options::FetchOptions;
pub use server::FetchServer;
