//! `system/api_retry`: the CLI retries a failed API request.

use crate::message::AssistantError;

/// The CLI retries a failed API request after a pause (`system/api_retry`).
///
/// Not every retry is reported: the CLI repeats a first 400, for example, without this message.
#[wire(tolerant, message)]
pub struct ApiRetry {
    /// The number of the retry, from 1.
    pub attempt: u64,
    /// The maximum number of retries.
    pub max_retries: u64,
    /// The pause before the retry in milliseconds; it has a random part and is at least the API's
    /// `retry-after`.
    /// CLI 2.1.197 sends fractions.
    pub retry_delay_ms: f64,
    /// The HTTP status; `None` without a response, as for an aborted stream or a refused
    /// connection.
    #[serialize_always]
    pub error_status: Option<u16>,
    /// The kind of failure.
    #[serde(default = "crate::lenient::empty")]
    pub error: AssistantError,
    /// The wait for response headers, if they never arrived; such retries have their own limit.
    pub no_response: Option<NoResponse>,
}

/// A wait for response headers that never arrived (`no_response`).
#[wire(tolerant)]
pub struct NoResponse {
    /// The wait of the previous attempt, in milliseconds.
    pub waited_ms: u64,
    /// The wait of the retry, in milliseconds.
    pub retry_wait_ms: u64,
}
