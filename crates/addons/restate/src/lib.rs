#![doc = include_str!("../README.md")]

mod admin;
mod client;
mod host;
mod ingress;
mod lease;
mod peers;
mod session;
mod tenant;
mod wire;

pub use admin::Admin;
pub use client::Client;
pub use host::{Host, HostConfig, HostError};
pub use ingress::{Ingress, IngressError};
pub use session::handlers;
pub use wire::{Prompt, Status};
