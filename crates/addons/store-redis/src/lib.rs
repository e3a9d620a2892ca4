#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod keys;
mod link;
mod store;

pub use redis;
pub use store::RedisStore;
