#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(feature = "process", not(unix)))]
compile_error!(
    "the feature `process` of agentwire-transport needs Unix: it starts the CLI in a process group; \
     on other systems use the crate without this feature and a transport of your own"
);

/// Implements `Debug` with the type's name and the given fields, for types whose other fields help no reader.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_by_name {
    ($($name:ident $(<$of:ident>)? $({ $($field:ident),+ })?),*) => { $(
        impl $(<$of>)? std::fmt::Debug for $name $(<$of>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))
                    $($(.field(stringify!($field), &self.$field))+)?
                    .finish_non_exhaustive()
            }
        }
    )* };
}

mod boxed;
mod error;
mod lock;
mod memory;
mod once_event;
#[cfg(feature = "process")]
pub mod process;
mod transport;

pub use boxed::{BoxPeerHandle, BoxSink, BoxSource, BoxTransport};
pub use error::{ExitReport, TransportError};
#[doc(hidden)]
pub use lock::Lock;
pub use memory::{MemoryPeer, MemoryPeerHandle, MemorySink, MemorySource, MemoryTransport, memory};
pub use transport::{ByteSink, ByteSource, Connected, NoProcess, PeerHandle, Signal, Transport, WriteNow};
