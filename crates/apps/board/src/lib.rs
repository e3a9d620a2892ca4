#![doc = include_str!("../README.md")]

mod engine;
mod router;

pub use engine::{Engine, EngineFuture, OpenQuestion, SessionState};
pub use router::router;
