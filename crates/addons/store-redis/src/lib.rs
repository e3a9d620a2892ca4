#![doc = include_str!("../README.md")]

mod keys;
mod link;
mod store;

pub use redis;
pub use store::RedisStore;
