//! The tests of the hub, as one program.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests share is test code too"
)]

mod approval;
mod asking;
#[cfg(feature = "auth")]
mod auth;
mod call;
mod config_hub;
mod conformance;
mod content;
mod edits;
mod env_files;
mod follow;
mod gateway;
mod gateway_program;
mod handlers;
mod hub;
#[cfg(feature = "session")]
mod live;
mod output_schema;
#[cfg(feature = "http")]
mod over_http;
mod project;
mod real;
mod server;
mod slow_client;
mod stateless;
mod subscribed;
mod tasks;
mod trust;
#[cfg(feature = "http")]
#[path = "../../../hub-transport/tests/it/web.rs"]
mod web;
