//! The frames that carry requests and responses.
//!
//! Each is written as a `Message`, which puts its `type` first.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{ControlCall, ErrorCode, InboundRequest};
use crate::{DecodeError, Hidden, RawJson, RequestId, tagged::tagged};

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
///
/// `Debug` does not show what was asked for: `get_settings`, `mcp_status` and `mcp_authenticate` are told keys there.
#[skip_serializing_none]
#[derive(Clone, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Success {
    /// The request.
    pub request_id: RequestId,
    /// What was asked for; absent where there is nothing to say.
    pub response: Option<RawJson>,
    /// Questions of permission that are still open, as they were asked; of `initialize`, for a host that joins.
    pub pending_permission_requests: Option<Vec<PendingRequest>>,
    /// Dialogs that are still open, likewise.
    pub pending_user_dialog_requests: Option<Vec<PendingRequest>>,
    /// Questions of MCP servers that are still open, likewise; declared, but not told by every session.
    pub pending_elicitation_requests: Option<Vec<PendingRequest>>,
}

impl Success {
    /// Reads what was asked for, as the reply of the request that it answers; where there is nothing, an empty object.
    ///
    /// # Errors
    ///
    /// When the reply does not have that shape; the positions count from the start of `response`.
    pub fn reply<C: ControlCall>(&self) -> Result<C::Reply, DecodeError> {
        self.response.as_ref().map_or_else(|| RawJson::empty_object().decode(), RawJson::decode)
    }
}

impl fmt::Debug for Success {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            request_id,
            response,
            pending_permission_requests,
            pending_user_dialog_requests,
            pending_elicitation_requests,
        } = self;
        f.debug_struct("Success")
            .field("request_id", request_id)
            .field("response", &response.as_ref().map(Hidden))
            .field("pending_permission_requests", pending_permission_requests)
            .field("pending_user_dialog_requests", pending_user_dialog_requests)
            .field("pending_elicitation_requests", pending_elicitation_requests)
            .finish()
    }
}

/// A request was not done.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// The request.
    pub request_id: RequestId,
    /// Why, for a person.
    #[serde(default)]
    pub error: String,
    /// Why, for a program.
    pub error_code: Option<ErrorCode>,
    /// The model that stays, where `set_model` failed. Not declared, seen on the wire.
    pub model: Option<Box<str>>,
    /// Questions of permission that are still open, as they were asked; of `initialize`, for a host that joins.
    pub pending_permission_requests: Option<Vec<PendingRequest>>,
    /// Dialogs that are still open, likewise.
    pub pending_user_dialog_requests: Option<Vec<PendingRequest>>,
    /// Questions of MCP servers that are still open, likewise; declared, but not told by every session.
    pub pending_elicitation_requests: Option<Vec<PendingRequest>>,
}

tagged! {
    /// A request that is still open, as the frame that asked it.
    pub enum PendingRequest by "type" {
        /// A request of the CLI.
        ControlRequest(ControlRequest) = "control_request",
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::SetModel;

    #[test]
    fn a_success_without_a_response_is_a_reply_all_the_same() {
        let text = r#"{"request_id":"r1","response":{"model":"opus"}}"#;
        let told: Success = serde_json::from_str(text).unwrap();
        assert_eq!(told.reply::<SetModel>().unwrap().model.as_deref(), Some("opus"));
        let silent: Success = serde_json::from_str(r#"{"request_id":"r1"}"#).unwrap();
        assert_eq!(silent.reply::<SetModel>().unwrap().model, None);
    }

    #[test]
    fn what_was_asked_for_is_not_shown() {
        let settings = RawJson::parse(r#"{"effective":{"env":{"KEY":"s3cret"}}}"#).unwrap();
        let response = ControlResponse::success("r1".into(), Some(settings));
        assert!(serde_json::to_string(&response).unwrap().contains("s3cret"));
        let shown = format!("{response:?}");
        assert!(
            shown.contains("r1") && shown.contains("Some(<hidden>)") && !shown.contains("s3cret"),
            "{shown}"
        );
    }
}
