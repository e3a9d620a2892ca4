#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod entry;
mod log;
mod memory;
mod position;
#[cfg(feature = "redis")]
mod redis_log;
#[cfg(feature = "http")]
mod sse;

pub use entry::{LogBatch, LogEntry, LogEvent, LogEventKind};
pub use log::{EventLog, EventLogError, LogFuture};
pub use memory::MemoryLog;
pub use position::{InvalidPosition, Position};
#[cfg(feature = "redis")]
pub use redis;
#[cfg(feature = "redis")]
pub use redis_log::RedisLog;
#[cfg(feature = "http")]
pub use sse::Events;
