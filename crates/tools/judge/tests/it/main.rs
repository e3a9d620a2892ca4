//! Tests of the judge, and the live tests of the library.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

mod conformance;
mod facade;
mod live;
mod outline;
mod proof;
mod scenario;
