//! Stream events of the Messages API.

use super::Delta;
use crate::{
    Block,
    message::{ApiMessage, Container, ContextManagement, InputTransformation, StopDetails, StopReason},
    usage::Usage,
};

/// A stream event of the Messages API.
#[wire(tag = "type")]
pub enum Event {
    /// An answer starts.
    MessageStart(MessageStart) = "message_start",
    /// A block starts.
    ContentBlockStart(BlockStart) = "content_block_start",
    /// A block changes.
    ContentBlockDelta(BlockDelta) = "content_block_delta",
    /// A block ends.
    ContentBlockStop(BlockStop) = "content_block_stop",
    /// The final properties of the answer.
    MessageDelta(Box<MessageDelta>) = "message_delta",
    /// The answer ends.
    MessageStop(MessageStop) = "message_stop",
    /// A keep-alive event; the CLI has not been seen to forward it.
    Ping(Ping) = "ping",
    /// The answer was aborted by an error; the CLI has not been seen to forward it.
    Error(StreamError) = "error",
}

/// An answer starts (`message_start`).
#[wire]
pub struct MessageStart {
    /// The answer so far: no content, and the request's token counts.
    pub message: Box<ApiMessage>,
}

/// A block starts (`content_block_start`).
#[wire]
pub struct BlockStart {
    /// The index of the block in the answer, from 0.
    pub index: u32,
    /// The block, still empty; only results of server tools are complete.
    pub content_block: Block,
}

/// A block changes (`content_block_delta`).
#[wire]
pub struct BlockDelta {
    /// The index of the block in the answer, from 0.
    pub index: u32,
    /// The change.
    pub delta: Delta,
}

/// A block ends (`content_block_stop`).
#[wire(Copy, Eq)]
pub struct BlockStop {
    /// The index of the block in the answer, from 0.
    pub index: u32,
}

/// The final properties of the answer (`message_delta`).
#[wire]
pub struct MessageDelta {
    /// The changed properties of the answer.
    pub delta: MessageDeltaFields,
    /// The final token counts, which replace those of `message_start`.
    pub usage: Option<Usage>,
    /// Context edits by the API.
    pub context_management: Option<ContextManagement>,
    /// Changes of the request by the API; absent if not reported.
    pub input_transformations: Option<Vec<InputTransformation>>,
}

/// Properties that are only known at the end of an answer (`delta` of `message_delta`).
#[wire(Default)]
pub struct MessageDeltaFields {
    /// Why the model stopped.
    #[serialize_always]
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that the model wrote, if that is the stop reason.
    #[serialize_always]
    pub stop_sequence: Option<Box<str>>,
    /// Details on the stop reason.
    pub stop_details: Option<StopDetails>,
    /// The container of code execution.
    pub container: Option<Container>,
}

/// The answer ends (`message_stop`).
#[wire(Copy, Default, Eq)]
pub struct MessageStop {}

/// A keep-alive event (`ping`).
#[wire(Copy, Default, Eq)]
pub struct Ping {}

/// The answer was aborted by an error (`error`).
#[wire]
pub struct StreamError {
    /// The error.
    pub error: ApiError,
    /// The API's id of the request.
    pub request_id: Option<Box<str>>,
}

/// An error of the API.
#[wire]
pub struct ApiError {
    /// The error type (`type`).
    #[serde(rename = "type")]
    pub kind: ApiErrorKind,
    /// The error message.
    #[serde(default)]
    pub message: String,
}

/// An error type of the API.
#[wire]
pub enum ApiErrorKind {
    /// The request is invalid.
    InvalidRequest = "invalid_request_error",
    /// The API key is invalid.
    Authentication = "authentication_error",
    /// A billing problem.
    Billing = "billing_error",
    /// The API key lacks the permission.
    Permission = "permission_error",
    /// The resource does not exist.
    NotFound = "not_found_error",
    /// Too many requests.
    RateLimit = "rate_limit_error",
    /// The request timed out.
    Timeout = "timeout_error",
    /// The API failed.
    Api = "api_error",
    /// The API is overloaded.
    Overloaded = "overloaded_error",
    /// A concurrent change conflicts with the request.
    Conflict = "conflict_error",
    /// A precondition on the memory store failed.
    MemoryPreconditionFailed = "memory_precondition_failed_error",
    /// A path in the memory store is already in use.
    MemoryPathConflict = "memory_path_conflict_error",
}
