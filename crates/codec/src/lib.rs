#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod decoder;
mod encoder;
mod error;
mod frame;
mod incoming;
mod limits;
mod line;
mod wire;

pub use decoder::LineDecoder;
pub use encoder::encode;
pub use error::{EncodeError, FrameError, WireError};
pub use frame::{Frame, FrameKind};
pub use incoming::Incoming;
pub use limits::Limits;
pub use line::Line;
pub use wire::{Batch, WireReader, WireWriter};
