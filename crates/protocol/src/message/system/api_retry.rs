//! `system/api_retry`: the CLI retries a failed API request.

use crate::{SessionId, Uuid, message::AssistantError};

/// The CLI retries a failed API request after a pause (`system/api_retry`).
///
/// Not every retry is reported: the CLI repeats a first 400, for example, without this message.
#[wire]
pub struct ApiRetry {
    /// The number of the retry, from 1.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub attempt: u64,
    /// The maximum number of retries.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub max_retries: u64,
    /// The pause before the retry in milliseconds; it has a random part and is at least the API's
    /// `retry-after`.
    /// CLI 2.1.197 sends fractions.
    #[serde(default, deserialize_with = "crate::lenient::amount")]
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
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}

/// A wait for response headers that never arrived (`no_response`).
#[wire]
pub struct NoResponse {
    /// The wait of the previous attempt, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub waited_ms: u64,
    /// The wait of the retry, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub retry_wait_ms: u64,
}
