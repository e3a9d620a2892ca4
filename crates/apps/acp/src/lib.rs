#![doc = include_str!("../README.md")]

mod agent;
mod capabilities;
mod config;
mod embedded;
mod failure;
mod features;
mod launch;
mod listing;
mod live;
mod mapping;
mod mention;
mod outbox;
mod permission;
mod prompt;
mod question;
mod settings;
mod turns;

pub use agent::serve;
pub use settings::Settings;
