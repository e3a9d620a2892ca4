#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    missing_docs,
    unnameable_types,
    reason = "shared with the workspace's own tools only"
)]
#![expect(clippy::print_stderr, reason = "a program for the terminal reports by printing")]

pub mod at_once;
pub mod check;
pub mod decode;
pub mod doctor;
pub mod failure;
pub mod inspect;
pub mod mock;
pub mod output;
pub mod relay;
pub mod run;
pub mod sessions;
pub mod view;
pub mod wire;
