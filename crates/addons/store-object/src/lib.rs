#![doc = include_str!("../README.md")]

mod name;
mod place;
mod store;

pub use object_store;
pub use store::BucketStore;
