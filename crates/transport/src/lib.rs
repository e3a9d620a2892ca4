#![doc = include_str!("../README.md")]

mod boxed;
mod error;
mod memory;
#[cfg(all(unix, feature = "process"))]
pub mod process;
mod settled;
mod transport;

pub use boxed::{BoxLifeline, BoxSink, BoxSource, BoxTransport};
pub use error::{ExitReport, TransportError};
pub use memory::{MemoryLifeline, MemoryPeer, MemorySink, MemorySource, MemoryTransport, memory};
pub use transport::{ByteSink, ByteSource, Lifeline, Link, NoProcess, Terminate, Transport};
