//! `system/api_retry`: a request to the model's API failed, and is made again.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, message::AssistantError};

/// A request to the model's API failed and will be made again after a pause (`system/api_retry`).
///
/// Not every retry is told: a first 400, for one, is repeated without it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ApiRetry {
    /// Which retry this is, from 1.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub attempt: u64,
    /// How many retries there are at most.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub max_retries: u64,
    /// The pause before the retry, in milliseconds; with its random part, and never shorter than the API's
    /// `retry-after`.
    /// CLI 2.1.197 sends fractions.
    #[serde(default, deserialize_with = "crate::lenient::amount")]
    pub retry_delay_ms: f64,
    /// The HTTP status; `None` where there was none, as for a stream that was cut or a connection that was
    /// refused.
    #[serialize_always]
    pub error_status: Option<u16>,
    /// The kind of failure.
    #[serde(default = "crate::lenient::empty")]
    pub error: AssistantError,
    /// The wait, where the headers of the API's response never came; the retries have a limit of their own then.
    pub no_response: Option<NoResponse>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// A wait for response headers that never came (`no_response`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct NoResponse {
    /// The wait of the attempt before, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub waited_ms: u64,
    /// The wait that the retry is given, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::count")]
    pub retry_wait_ms: u64,
}
