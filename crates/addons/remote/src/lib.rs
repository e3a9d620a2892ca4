#![doc = include_str!("../README.md")]
#![cfg(unix)]

mod container;
mod pod;
mod remote;
mod ssh;

pub use container::Container;
pub use pod::Pod;
pub use remote::Remote;
pub use ssh::Ssh;
