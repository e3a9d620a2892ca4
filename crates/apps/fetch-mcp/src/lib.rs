#![doc = include_str!("../README.md")]

mod server;

mod options;

mod body;
mod charset;
mod deadline;
mod error;
mod fetch;
mod html;
mod media;
mod page;
mod resolver;
mod tls;

pub use error::BuildError;
pub use options::Options;
pub use server::FetchServer;
