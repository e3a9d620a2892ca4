#![doc = include_str!("../README.md")]

mod api;
mod calls;
mod chat;
mod error;
mod step;
mod turn;

pub use agentwire_hub::llm::CallForm as Form;
pub use api::Api;
pub use chat::{Chat, ChatAnswer};
pub use error::{ApiError, ChatError};
pub use step::Step;
