//! Errors of requests. Editors show the message alone, so it names the cause.

use std::fmt::Display;

use agent_client_protocol::{Error, ErrorCode};

/// Returns the error for a failure of the agent or the CLI.
pub(crate) fn internal(cause: impl Display) -> Error {
    Error::new(ErrorCode::INTERNAL_ERROR, cause.to_string())
}

/// Returns the error for a request that can't be met as sent.
pub(crate) fn invalid(cause: impl Display) -> Error {
    Error::new(ErrorCode::INVALID_PARAMS, cause.to_string())
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
    let cause = text.split(" · ").next().unwrap_or(text);
    Error::new(
        ErrorCode::AUTH_REQUIRED,
        format!(
            "the CLI has no valid login ({cause}); run `agentwire-acp login` in a terminal, or set `ANTHROPIC_API_KEY`"
        ),
    )
}

/// Returns whether a text of the CLI asks the user to log in by a command that only its own terminal has.
pub(crate) fn asks_to_log_in(text: &str) -> bool {
    text.to_lowercase().contains("run /login")
}

/// Returns the error for a session that is not open, or not stored.
pub(crate) fn no_session(id: impl Display) -> Error {
    Error::new(
        ErrorCode::RESOURCE_NOT_FOUND,
        format!("there is no session {id}; list the sessions, or open a new one"),
    )
}
