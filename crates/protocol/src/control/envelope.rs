//! The frames that carry requests and responses.
//!
//! Each is written as a `Message`, which puts its `type` first.

use serde::{Deserialize, Serialize};

use super::{ErrorCode, InboundRequest};
use crate::{RawJson, RequestId, tagged::tagged};

/// A request of the CLI (`control_request`, to us).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ControlRequest {
    /// The id that the response must carry.
    pub request_id: RequestId,
    /// What is asked.
    pub request: InboundRequest,
}

/// A response to a request (`control_response`), in either direction.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ControlResponse {
    /// How the request ended.
    pub response: Outcome,
}

impl ControlResponse {
    /// A success, with what was asked for.
    pub fn success(request_id: RequestId, response: Option<RawJson>) -> Self {
        let success = Success {
            request_id,
            response,
            pending_permission_requests: None,
            pending_user_dialog_requests: None,
            pending_elicitation_requests: None,
        };
        Self { response: Outcome::Success(success) }
    }

    /// A failure, with a text for the CLI.
    pub fn failure(request_id: RequestId, error: impl Into<String>) -> Self {
        let failure = Failure {
            request_id,
            error: error.into(),
            error_code: None,
            model: None,
            pending_permission_requests: None,
            pending_user_dialog_requests: None,
            pending_elicitation_requests: None,
        };
        Self { response: Outcome::Failure(failure) }
    }
}

tagged! {
    /// How a request ended.
    pub enum Outcome by "subtype" {
        /// It was done.
        Success(Success) = "success",
        /// It was not.
        Failure(Failure) = "error",
    }
}

/// A request was done.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Success {
    /// The request.
    pub request_id: RequestId,
    /// What was asked for; absent where there is nothing to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<RawJson>,
    /// Questions of permission that are still open, as they were asked; of `initialize`, for a host that joins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_permission_requests: Option<Vec<ControlRequest>>,
    /// Dialogs that are still open, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_user_dialog_requests: Option<Vec<ControlRequest>>,
    /// Questions of MCP servers that are still open, likewise; declared, but not told by every session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_elicitation_requests: Option<Vec<ControlRequest>>,
}

/// A request was not done.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// The request.
    pub request_id: RequestId,
    /// Why, for a person.
    #[serde(default)]
    pub error: String,
    /// Why, for a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<ErrorCode>,
    /// The model that stays, where `set_model` failed. Not declared, seen on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Box<str>>,
    /// Questions of permission that are still open, as they were asked; of `initialize`, for a host that joins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_permission_requests: Option<Vec<ControlRequest>>,
    /// Dialogs that are still open, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_user_dialog_requests: Option<Vec<ControlRequest>>,
    /// Questions of MCP servers that are still open, likewise; declared, but not told by every session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_elicitation_requests: Option<Vec<ControlRequest>>,
}

/// Takes a request back (`control_cancel_request`), in either direction.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ControlCancelRequest {
    /// The request.
    pub request_id: RequestId,
}

impl ControlCancelRequest {
    /// Takes this request back.
    pub fn new(request_id: RequestId) -> Self {
        Self { request_id }
    }
}
