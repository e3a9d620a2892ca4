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

/// A page of the guide, so that its code is compiled; published packages do not contain it.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/transports.md")]
mod guide {}
