//! The frames of requests and responses.
//!
//! Write each as a `Message`, which puts its `type` first.

use super::{ControlCall, ErrorCode, InboundRequest};
use crate::{DecodeError, Hidden, RawJson, RequestId};

/// A request of the CLI to the host (`control_request`).
#[wire]
pub struct ControlRequest {
    /// The id to repeat in the response.
    pub request_id: RequestId,
    /// The request.
    pub request: InboundRequest,
}

/// A response to a request (`control_response`), in either direction.
#[wire]
pub struct ControlResponse {
    /// The outcome of the request.
    pub response: Outcome,
}

impl ControlResponse {
    /// Returns a success with this reply.
    pub fn success(request_id: RequestId, response: Option<RawJson>) -> Self {
        Self { response: Outcome::Success(Success::new(request_id, response)) }
    }

    /// Returns a failure with a message for the CLI.
    pub fn failure(request_id: RequestId, error: impl Into<String>) -> Self {
        Self { response: Outcome::Failure(Failure::new(request_id, error)) }
    }
}

/// The outcome of a request.
#[wire(tag = "subtype", hides = unknown)]
pub enum Outcome {
    /// The request succeeded.
    Success(Success) = "success",
    /// The request failed.
    Failure(Failure) = "error",
}

/// A successful response.
///
/// `Debug` does not show the reply: `get_settings`, `mcp_status` and `mcp_authenticate` may return keys.
#[wire(new)]
pub struct Success {
    /// The id of the request.
    pub request_id: RequestId,
    /// The reply; absent if it is empty.
    #[argument]
    #[shown(self.response.as_ref().map(Hidden))]
    pub response: Option<RawJson>,
    /// Unanswered permission requests as the original frames, for a host that joins a running session; only in the
    /// reply to `initialize`.
    pub pending_permission_requests: Option<Vec<RawJson>>,
    /// Unanswered dialog requests, likewise.
    pub pending_user_dialog_requests: Option<Vec<RawJson>>,
    /// Unanswered elicitations, likewise; declared, but not every session sends them.
    pub pending_elicitation_requests: Option<Vec<RawJson>>,
}

impl Success {
    /// Deserializes the reply of the request `C`; an absent reply is read as an empty object.
    ///
    /// # Errors
    ///
    /// Returns an error if the reply does not have that shape; positions count from the start of `response`.
    pub fn reply<C: ControlCall>(&self) -> Result<C::Reply, DecodeError> {
        self.response.as_ref().map_or_else(|| RawJson::empty_object().decode(), RawJson::decode)
    }
}

/// A failed response.
#[wire(new)]
pub struct Failure {
    /// The id of the request.
    pub request_id: RequestId,
    /// The error message, for a person.
    #[serde(default)]
    pub error: String,
    /// The error code.
    pub error_code: Option<ErrorCode>,
    /// The model that stays active if `set_model` failed. Not declared, seen on the wire.
    pub model: Option<Box<str>>,
    /// Unanswered permission requests as the original frames, for a host that joins a running session; only in the
    /// reply to `initialize`.
    pub pending_permission_requests: Option<Vec<RawJson>>,
    /// Unanswered dialog requests, likewise.
    pub pending_user_dialog_requests: Option<Vec<RawJson>>,
    /// Unanswered elicitations, likewise; declared, but not every session sends them.
    pub pending_elicitation_requests: Option<Vec<RawJson>>,
}

/// Cancels a request (`control_cancel_request`), in either direction.
#[wire(new)]
pub struct ControlCancelRequest {
    /// The id of the request.
    pub request_id: RequestId,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::SetModel;

    #[test]
    fn success_without_a_response_is_read_as_an_empty_reply() {
        let text = r#"{"request_id":"r1","response":{"model":"opus"}}"#;
        let success: Success = serde_json::from_str(text).unwrap();
        assert_eq!(success.reply::<SetModel>().unwrap().model.as_deref(), Some("opus"));
        let silent: Success = serde_json::from_str(r#"{"request_id":"r1"}"#).unwrap();
        assert_eq!(silent.reply::<SetModel>().unwrap().model, None);
    }

    #[test]
    fn debug_hides_the_reply() {
        let settings = RawJson::parse(r#"{"effective":{"env":{"KEY":"s3cret"}}}"#).unwrap();
        let response = ControlResponse::success("r1".into(), Some(settings));
        assert!(serde_json::to_string(&response).unwrap().contains("s3cret"));
        let later = r#"{"response":{"subtype":"later","request_id":"r1","KEY":"s3cret"}}"#;
        let later: ControlResponse = serde_json::from_str(later).unwrap();
        assert!(!format!("{later:?}").contains("s3cret"), "{later:?}");
        let shown = format!("{response:?}");
        assert!(
            shown.contains("r1") && shown.contains("Some(<hidden>)") && !shown.contains("s3cret"),
            "{shown}"
        );
    }
}
