#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "driver")]
mod driver;
mod ending;
mod error;
#[cfg(feature = "blocking")]
#[doc(hidden)]
pub mod in_place;
pub mod panics;
mod router;

pub use ending::SessionExit;
pub use error::{ControlError, RequestClosed};
pub use router::{
    Ignored, PromptState, RawEvent, Received, Router, RouterEvent, SessionEvent, TurnEnd, TurnInfo,
};

#[cfg(feature = "driver")]
#[doc(hidden)]
pub use agentwire_transport::{Lock, debug_by_name};
#[cfg(feature = "driver")]
#[doc(hidden)]
pub use driver::wait;
#[cfg(feature = "driver")]
pub use driver::{
    BackpressurePause, CallContext, CallbackError, Config, Connection, Control, Driver, FailureKind,
    FrameFilter, Messages, NoResponder, Observer, Prepared, RefusalFn, Reply, Responder, connect,
};
#[cfg(feature = "driver")]
pub use tokio_util::sync::CancellationToken;
