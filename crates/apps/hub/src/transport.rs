//! The transports: stdio, streamable HTTP and SSE.

#[cfg(feature = "http")]
pub(crate) mod http;
#[cfg(feature = "http")]
pub(crate) mod link;
pub(crate) mod members;
#[cfg(feature = "http")]
pub(crate) mod sse;
pub(crate) mod stdio;
#[cfg(feature = "http")]
mod tls;
#[cfg(feature = "http")]
pub(crate) mod web;

#[cfg(all(test, feature = "http"))]
mod tests;
