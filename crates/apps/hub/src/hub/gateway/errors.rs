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
        | CallError::Unauthorized { .. }
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
/// method. Versions without a handshake have no `logging/setLevel`, and another way to subscribe.
pub(super) fn unread(method: String, has_logs: bool, is_stateless: bool) -> ErrorData {
    let is_known = match &*method {
        "logging/setLevel" => has_logs && !is_stateless,
        "resources/subscribe" | "resources/unsubscribe" => !is_stateless,
        "subscriptions/listen" => is_stateless,
        method => KNOWN_METHODS.contains(&method),
    };
    if is_known {
        return ErrorData::invalid_params(format!("the parameters do not fit `{method}`"), None);
    }
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)
}

/// The methods with parameters, of all versions.
#[rustfmt::skip]
const KNOWN_METHODS: &[&str] = &[
    "completion/complete", "prompts/get", "prompts/list", "tools/call", "tools/list",
    "resources/list", "resources/read", "resources/templates/list",
];
