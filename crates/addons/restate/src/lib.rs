#![doc = include_str!("../README.md")]

mod admin;
mod client;
mod host;
mod ingress;
mod lease;
mod peers;
mod serve;
mod session;
mod tenant;
mod wire;

pub use admin::Admin;
pub use client::Client;
pub use host::{Host, HostConfig, HostError};
pub use ingress::{Ingress, IngressError};
pub use serve::serve;
pub use session::handlers;
pub use wire::{SessionPrompt, Status};
