#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[macro_use]
extern crate agentwire_protocol_macros;

pub mod account;
pub mod agent;
pub mod cli;
pub mod content;
pub mod control;
pub mod decode;
pub mod effort;
pub mod elicitation;
mod forms;
mod hidden;
pub mod hook;
mod ids;
mod lenient;
pub mod mcp;
pub mod message;
pub mod model_info;
mod nullable;
mod open_enum;
pub mod permission;
pub mod plugin;
mod raw;
pub mod sandbox;
pub mod session_info;
pub mod settings;
pub mod slash_command;
pub mod tagged;
pub mod tool_input;
mod unknown;
pub mod usage;

pub use content::{Block, Content};
pub use control::{ControlCall, InboundRequest};
pub use decode::DecodeError;
pub use hidden::{Hidden, Secrets};
pub use ids::{ApiMessageId, Name, RequestId, SessionId, ToolName, ToolUseId, Uuid};
pub use message::{Message, System};
pub use nullable::Nullable;
pub use permission::PermissionMode;
pub use raw::RawJson;
pub use unknown::Unknown;
