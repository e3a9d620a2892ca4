#![doc = include_str!("../README.md")]

pub mod cli;
pub mod content;
pub mod control;
pub mod decode;
pub mod hook;
mod ids;
pub mod message;
mod nullable;
mod open_enum;
pub mod permission;
mod raw;
pub mod tagged;
mod unknown;
mod usage;

pub use content::{Block, Content};
pub use control::{ControlCall, InboundRequest};
pub use decode::DecodeError;
pub use ids::{RequestId, SessionId, ToolUseId, Uuid};
pub use message::{Message, System};
pub use nullable::Nullable;
pub use permission::PermissionMode;
pub use raw::RawJson;
pub use unknown::Unknown;
pub use usage::{ModelUsage, Usage};
