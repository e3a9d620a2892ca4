//! Round trips of callbacks: a bench CLI asks over real pipes, a client answers, and the bench CLI holds the watch.
//!
//! The clients answer the same frames: ours through the whole stack, the others without any SDK.

pub mod cli;
pub mod echo;
pub mod floor;
mod lines;
pub mod measure;
pub mod ours;
pub mod report;
pub mod tables;
pub mod workload;

/// The prompt of the clients without an SDK.
const PROMPT: &[u8] = b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"Go.\"}}\n";
