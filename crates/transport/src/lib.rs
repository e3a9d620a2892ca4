#![doc = include_str!("../README.md")]

mod boxed;
mod error;
mod memory;
#[cfg(all(unix, feature = "process"))]
pub mod process;
mod settled;
mod transport;

pub use boxed::{BoxPeerHandle, BoxSink, BoxSource, BoxTransport};
pub use error::{ExitReport, TransportError};
pub use memory::{MemoryPeer, MemoryPeerHandle, MemorySink, MemorySource, MemoryTransport, memory};
pub use transport::{ByteSink, ByteSource, Connected, NoProcess, PeerHandle, Signal, Transport};
