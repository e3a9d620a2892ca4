#![doc = include_str!("../README.md")]

mod server;

mod options;

mod kernel;
mod kernelspec;
mod output;
mod worker;

pub use kernelspec::{Kernels, installed};
pub use options::JupyterOptions;
pub use server::JupyterServer;
