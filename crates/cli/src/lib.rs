#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    missing_docs,
    unnameable_types,
    reason = "shared with the workspace's own tools only"
)]

pub mod at_once;
pub mod check;
pub mod command;
pub mod decode;
pub mod doctor;
pub mod drift;
pub mod failure;
#[cfg(feature = "hub")]
pub mod hub;
mod loopback;
pub mod mock;
pub mod output;
mod program;
pub mod progress;
pub mod record;
mod relay;
pub mod replay;
pub mod run;
pub mod sessions;
mod signals;
pub mod stand_in;
pub mod view;
pub mod wire;

/// A guide that needs more features of the testkit than the tests of `agentwire`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/offline.md")]
mod offline {}
