#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod text;
#[cfg(feature = "tls")]
mod tls;

pub use address::{is_public, literal};
pub use text::{error_chain, excerpt, head};
#[cfg(feature = "tls")]
pub use tls::tls_config;
