//! `system/control_request_progress`: the progress of a long control request of the host.

use crate::{Nullable, RequestId};

/// The progress of a long control request of the host (`system/control_request_progress`).
///
/// Only sent for `side_question` so far; the response to the request follows as usual.
#[wire(tolerant, message)]
pub struct ControlRequestProgress {
    /// The id of the request.
    #[serde(default = "crate::lenient::empty")]
    pub request_id: RequestId,
    /// The status.
    #[serde(default = "crate::lenient::empty")]
    pub status: RequestProgress,
    /// The number of the retry, from 1; with `api_retry`.
    pub attempt: Option<u64>,
    /// The maximum number of retries; with `api_retry`.
    pub max_retries: Option<u64>,
    /// The pause before the retry, in milliseconds; with `api_retry`.
    pub retry_delay_ms: Option<f64>,
    /// The HTTP status of the failure, `null` without a response; with `api_retry`.
    pub error_status: Nullable<u16>,
}

/// The status of a long control request.
#[wire]
pub enum RequestProgress {
    /// The CLI accepted the request and started to process it.
    Started = "started",
    /// An API request failed and will be retried.
    ApiRetry = "api_retry",
}
