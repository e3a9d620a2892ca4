#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![expect(missing_debug_implementations, reason = "connections and secrets have no useful text")]

#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "http")]
pub mod link;
pub mod members;
#[cfg(feature = "auth")]
pub mod oauth;
pub mod record;
pub mod size;
#[cfg(feature = "http")]
pub mod sse;
pub mod stdio;
#[cfg(feature = "http")]
pub mod web;
