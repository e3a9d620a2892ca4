//! The errors of a client's requests.

use std::sync::Arc;

use rmcp::{ErrorData, model::ErrorCode};

use super::Gateway;
use crate::{CallError, Misnamed, Names, call::Target, connection::Connection, spelling::dashed};

impl Gateway {
    /// Returns the error for an unknown name. If the name begins with a server that is not connected, the error contains the
    /// state of the server.
    pub(super) fn misnamed(&self, name: &str, error: Misnamed) -> ErrorData {
        let state = |connection: Arc<Connection>| {
            // The names of a server differ only in their end.
            let names = Names::new(self.naming, [(connection.name().clone(), "x")]);
            let start = names.iter().next()?.0.strip_suffix('x').filter(|_| self.naming.has_server())?;
            let is_named = dashed(name).starts_with(&dashed(start));
            Target::find(&self.hub.inner.servers, connection.name().as_str()).err().filter(|_| is_named)
        };
        let states = self.hub.inner.servers.all().into_iter().filter_map(state);
        let states: String = states.map(|state| format!("; {state}")).collect();
        ErrorData::invalid_params(format!("{error}{states}"), None)
    }
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
const KNOWN_METHODS: &[&str] = &[
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "tools/call",
    "tools/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
];
