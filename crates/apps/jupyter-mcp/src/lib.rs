#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod server;

mod options;

mod kernel;
mod kernelspec;
mod output;
mod worker;

pub use kernelspec::{Kernels, installed};
pub use options::Options;
pub use server::JupyterServer;
