//! `system/control_request_progress`: a long control request of ours is being worked on.

use serde::{Deserialize, Serialize};

use crate::{Nullable, RequestId, SessionId, Uuid, open_enum::open_enum};

/// A long control request of ours is being worked on (`system/control_request_progress`).
///
/// Sent for `side_question` alone so far; the request is answered as any other.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ControlRequestProgress {
    /// The request.
    #[serde(default = "crate::lenient::empty")]
    pub request_id: RequestId,
    /// What has become of it.
    #[serde(default = "crate::lenient::empty")]
    pub status: RequestProgress,
    /// Which retry of the model's API this is, from 1; with `api_retry`.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub attempt: Option<u64>,
    /// How many retries there are at most; with `api_retry`.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub max_retries: Option<u64>,
    /// The pause before the retry, in milliseconds; with `api_retry`.
    pub retry_delay_ms: Option<f64>,
    /// The HTTP status of the failure, `null` where there was none; with `api_retry`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub error_status: Nullable<u16>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// What has become of a long control request.
    pub enum RequestProgress {
        /// It was accepted, and work on it began.
        Started = "started",
        /// A request to the model's API failed and will be made again.
        ApiRetry = "api_retry",
    }
}
