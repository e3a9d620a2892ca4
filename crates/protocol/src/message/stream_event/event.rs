//! The events of the Messages API's stream.

use serde::{Deserialize, Serialize};

use super::Delta;
use crate::{
    Block,
    message::{ApiMessage, Container, ContextManagement, InputTransformation, StopDetails, StopReason},
    open_enum::open_enum,
    tagged::tagged,
    usage::Usage,
};

tagged! {
    /// An event of the Messages API's stream.
    pub enum Event by "type" {
        /// An answer starts.
        MessageStart(MessageStart) = "message_start",
        /// A block starts.
        ContentBlockStart(BlockStart) = "content_block_start",
        /// A block grows.
        ContentBlockDelta(BlockDelta) = "content_block_delta",
        /// A block ends.
        ContentBlockStop(BlockStop) = "content_block_stop",
        /// The answer's closing facts.
        MessageDelta(Box<MessageDelta>) = "message_delta",
        /// The answer is over.
        MessageStop(MessageStop) = "message_stop",
        /// Says nothing but that the connection lives; the CLI has not been seen to pass it on.
        Ping(Ping) = "ping",
        /// The answer broke off; the CLI has not been seen to pass it on.
        Error(StreamError) = "error",
    }
}

/// An answer starts (`message_start`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MessageStart {
    /// The answer so far: no content, and the tokens of the request.
    pub message: Box<ApiMessage>,
}

/// A block starts (`content_block_start`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BlockStart {
    /// Its place in the answer, from 0.
    pub index: u32,
    /// The block, still empty, but for results of server tools: they come whole.
    pub content_block: Block,
}

/// A block grows (`content_block_delta`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BlockDelta {
    /// Its place in the answer, from 0.
    pub index: u32,
    /// What is added.
    pub delta: Delta,
}

/// A block ends (`content_block_stop`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BlockStop {
    /// Its place in the answer, from 0.
    pub index: u32,
}

/// The answer's closing facts (`message_delta`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MessageDelta {
    /// What the fields of the answer are now.
    pub delta: MessageDeltaFields,
    /// Tokens, counted to the end, in the place of those of `message_start`.
    pub usage: Option<Usage>,
    /// What the API did about a long context.
    pub context_management: Option<ContextManagement>,
    /// What the API changed in the request; absent where it does not say.
    pub input_transformations: Option<Vec<InputTransformation>>,
}

/// Fields of an answer that are known only at its end (`delta` of `message_delta`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MessageDeltaFields {
    /// Why the model stopped.
    #[serialize_always]
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that it wrote, where that is why.
    #[serialize_always]
    pub stop_sequence: Option<Box<str>>,
    /// More on why it stopped.
    pub stop_details: Option<StopDetails>,
    /// The container in which the API ran code.
    pub container: Option<Container>,
}

/// The answer is over (`message_stop`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MessageStop {}

/// Says nothing but that the connection lives (`ping`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Ping {}

/// The answer broke off (`error`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct StreamError {
    /// What went wrong.
    pub error: ApiError,
    /// The API's id of the request.
    pub request_id: Option<Box<str>>,
}

/// What went wrong at the API.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ApiError {
    /// The kind of failure (`type`).
    #[serde(rename = "type")]
    pub kind: ApiErrorKind,
    /// The same in words.
    #[serde(default)]
    pub message: String,
}

open_enum! {
    /// A kind of failure of the API.
    pub enum ApiErrorKind {
        /// The request is malformed.
        InvalidRequest = "invalid_request_error",
        /// No valid key.
        Authentication = "authentication_error",
        /// A problem with payment.
        Billing = "billing_error",
        /// The key may not do that.
        Permission = "permission_error",
        /// There is no such thing.
        NotFound = "not_found_error",
        /// Too many requests.
        RateLimit = "rate_limit_error",
        /// It took too long.
        Timeout = "timeout_error",
        /// The API failed.
        Api = "api_error",
        /// The API can't take more load.
        Overloaded = "overloaded_error",
        /// Another change came in between.
        Conflict = "conflict_error",
        /// A condition on the memory store did not hold.
        MemoryPreconditionFailed = "memory_precondition_failed_error",
        /// A path in the memory store is taken.
        MemoryPathConflict = "memory_path_conflict_error",
    }
}
