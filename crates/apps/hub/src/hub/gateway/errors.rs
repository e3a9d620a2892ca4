//! The errors of a client's requests.

use rmcp::{ErrorData, model::ErrorCode};

use crate::{CallError, Misnamed};

pub(super) fn misnamed(error: Misnamed) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

pub(super) fn refused(error: CallError) -> ErrorData {
    match error {
        CallError::Refused { error, .. } => error,
        CallError::NotConnected { .. }
        | CallError::NotSent { .. }
        | CallError::TimedOut { .. }
        | CallError::ConnectionLost { .. }
        | CallError::Protocol { .. } => ErrorData::internal_error(error.to_string(), None),
        error => ErrorData::invalid_params(error.to_string(), None),
    }
}

/// Returns the error for a request that was sent again with another method.
pub(super) fn another() -> ErrorData {
    ErrorData::internal_error("the result is that of another request", None)
}

/// Returns the error for a request that rmcp could not read: it reads a known method with unfit parameters as an unknown
/// method.
pub(super) fn unread(method: String, has_logs: bool) -> ErrorData {
    if KNOWN_METHODS.contains(&&*method) && (has_logs || method != "logging/setLevel") {
        return ErrorData::invalid_params(format!("the parameters do not fit `{method}`"), None);
    }
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)
}

/// The methods with parameters.
const KNOWN_METHODS: &[&str] = &[
    "completion/complete",
    "logging/setLevel",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];
