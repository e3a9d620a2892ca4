#![doc = include_str!("../README.md")]

mod ending;
mod error;
mod router;

#[cfg(feature = "driver")]
mod driver;
#[cfg(feature = "driver")]
mod handle;
#[cfg(feature = "driver")]
mod messages;
#[cfg(feature = "driver")]
mod prompts;
#[cfg(feature = "driver")]
mod responder;

pub use ending::Ending;
pub use error::{ControlError, Stale};
pub use router::{Event, Ignored, PromptState, Router, TurnEnd};

#[cfg(feature = "driver")]
pub use driver::{Connection, Driver, Settings, connect};
#[cfg(feature = "driver")]
pub use handle::Control;
#[cfg(feature = "driver")]
pub use messages::{Delivery, Messages};
#[cfg(feature = "driver")]
pub use responder::{CallContext, NoResponder, Reply, Responder};
