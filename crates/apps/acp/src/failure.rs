//! Errors of requests. Editors show the message alone, so it names the cause.

use std::fmt::Display;

use agent_client_protocol::{Error, ErrorCode};
use agentwire::protocol::message::AssistantError;

/// Returns the error for a failure of the agent or the CLI.
pub(crate) fn internal(cause: impl Display) -> Error {
    Error::new(ErrorCode::INTERNAL_ERROR, cause.to_string())
}

/// Returns the error for a request that can't be met as sent.
pub(crate) fn invalid(cause: impl Display) -> Error {
    Error::new(ErrorCode::INVALID_PARAMS, cause.to_string())
}

/// Returns the error for a request before `initialize`.
pub(crate) fn uninitialized(method: &str) -> Error {
    Error::new(ErrorCode::INVALID_REQUEST, format!("send `initialize` before `{method}`"))
}

/// Adds the cause to the message of the library's error. Its data, the cause and the whole request, is left out.
pub(crate) fn unreadable(error: Error) -> Error {
    match error.data.as_ref().and_then(|data| data["error"].as_str()) {
        Some(cause) => Error::new(error.code, format!("{}: {cause}", error.message)),
        None => error,
    }
}

/// Returns the error for a missing login. `text` is the CLI's message.
pub(crate) fn not_logged_in(text: &str) -> Error {
    // A remedy of the CLI's own follows the cause: `Not logged in · Please run /login`.
    let remedies = [" · ", ". Please run /login"].into_iter();
    let cause = remedies.fold(text, |text, remedy| text.split(remedy).next().unwrap_or(text));
    Error::new(
        ErrorCode::AUTH_REQUIRED,
        format!(
            "the CLI has no valid login ({cause}); run `agentwire-acp login` in a terminal, or set `ANTHROPIC_API_KEY`"
        ),
    )
}

/// Returns whether an error of this kind reports a missing login. The kind of an expired login is `invalid_request`.
pub(crate) fn is_missing_login(kind: Option<&AssistantError>, text: &str) -> bool {
    match kind {
        Some(AssistantError::AuthenticationFailed) => true,
        Some(AssistantError::InvalidRequest) => text.to_lowercase().contains("run /login"),
        _ => false,
    }
}

/// Returns the error for a session that is not open, or not stored.
pub(crate) fn no_session(id: impl Display) -> Error {
    Error::new(
        ErrorCode::RESOURCE_NOT_FOUND,
        format!("there is no session {id}; list the sessions, or open a new one"),
    )
}
