#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod ending;
mod error;
mod router;

#[cfg(feature = "driver")]
mod driver;
#[cfg(feature = "driver")]
mod failure;
#[cfg(feature = "driver")]
mod filter;
#[cfg(feature = "driver")]
mod handle;
#[cfg(feature = "driver")]
mod messages;
#[cfg(feature = "driver")]
mod observer;
#[cfg(feature = "driver")]
mod prompts;
#[cfg(feature = "driver")]
mod responder;

pub use ending::SessionExit;
pub use error::{ControlError, RequestClosed};
pub use router::{
    Ignored, NamedPrompts, PromptState, RawEvent, Received, Router, RouterEvent, SessionEvent, TurnEnd,
    TurnInfo,
};

#[cfg(feature = "driver")]
pub use driver::{Config, Connection, Driver, Prepared, connect, connect_observed};
#[cfg(feature = "driver")]
pub use failure::{CallbackError, FailureKind};
#[cfg(feature = "driver")]
pub use filter::FrameFilter;
#[cfg(feature = "driver")]
pub use handle::Control;
#[cfg(feature = "driver")]
pub use messages::{BackpressurePause, Messages};
#[cfg(feature = "driver")]
pub use observer::Observer;
#[cfg(feature = "driver")]
pub use responder::{CallContext, NoResponder, RefusalFn, Reply, Responder};
#[cfg(feature = "driver")]
pub use tokio_util::sync::CancellationToken;
