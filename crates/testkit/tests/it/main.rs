//! The tests of the testkit itself.

#[cfg(feature = "model")]
mod http;
#[cfg(feature = "model")]
mod model;
mod transcript;
