#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod name;
mod place;
mod store;

pub use object_store;
pub use store::BucketStore;
