//! Errors of calls.

use std::{fmt, sync::Arc, time::Duration};

use agentwire_net::excerpt;
use rmcp::model::ErrorData;

use crate::{DisabledBy, ServerName, ServerState};

/// The error of a call without an outcome. Its text is written for models and for people.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// There is no server of that name.
    #[error("there is no server `{}`{}", excerpt(server), Alternatives("servers", known, suggestion.as_deref()))]
    UnknownServer {
        /// The name.
        server: String,
        /// The names of all servers.
        known: Vec<Box<str>>,
        /// A similar name.
        suggestion: Option<Box<str>>,
    },
    /// The server has no tool or prompt of that name.
    #[error("the server `{server}` has no {kind} `{}`{}", excerpt(name), Alternatives("names", known, suggestion.as_deref()))]
    Unknown {
        /// The server.
        server: ServerName,
        /// The kind: `tool` or `prompt`.
        kind: &'static str,
        /// The name.
        name: String,
        /// The names of all enabled items.
        known: Vec<Box<str>>,
        /// A similar name.
        suggestion: Option<Box<str>>,
    },
    /// The server does not have this capability.
    #[error("the server `{server}` has no {what}")]
    Unsupported {
        /// The server.
        server: ServerName,
        /// The capability, such as `resources`.
        what: &'static str,
    },
    /// The server is disabled.
    #[error("the server `{server}` is disabled {}", match by {
        DisabledBy::Config => "in its configuration",
        DisabledBy::Hub => "with all MCP servers",
        DisabledBy::Untrusted => "until the user trusts it: it is configured in a file of the project",
    })]
    ServerDisabled {
        /// The server.
        server: ServerName,
        /// The reason.
        by: DisabledBy,
    },
    /// The configuration disables the tool.
    #[error("the tool `{tool}` of the server `{server}` is disabled in the configuration")]
    ToolDisabled {
        /// The server.
        server: ServerName,
        /// The tool.
        tool: Box<str>,
    },
    /// The server is not connected.
    #[error("the server `{server}` is not connected: {}", Disconnected(state))]
    NotConnected {
        /// The server.
        server: ServerName,
        /// Its state.
        state: ServerState,
    },
    /// The arguments violate the schema of the tool, which was not called.
    #[error("the arguments do not fit the tool `{tool}` of the server `{server}`:{}", Lines(violations))]
    BadArguments {
        /// The server.
        server: ServerName,
        /// The tool.
        tool: Box<str>,
        /// The violations. They may quote the arguments.
        violations: Vec<Violation>,
    },
    /// The tool can be called as a task only (`execution.taskSupport`), which the hub does not support. It was not called.
    #[error(
        "the tool `{tool}` of the server `{server}` can only be called as a task, which is not supported"
    )]
    NeedsTask {
        /// The server.
        server: ServerName,
        /// The tool.
        tool: Box<str>,
    },
    /// The call was denied. The tool was not called, or the resource not read.
    #[error("the call of `{}` of the server `{server}` was denied{by}{}", excerpt(tool), Reason(reason.as_deref()))]
    Denied {
        /// The server.
        server: ServerName,
        /// The tool, or the URI of the resource.
        tool: Box<str>,
        /// The rule that denied it.
        by: DeniedBy,
        /// The reason, if the handler gave one.
        reason: Option<String>,
    },
    /// The server did not answer in time. The call was cancelled at the server.
    #[error(
        "`{}` of the server `{server}` did not end in time: it was cancelled after {after:.1?}, {limit}",
        excerpt(name)
    )]
    TimedOut {
        /// The server.
        server: ServerName,
        /// The tool, prompt or URI.
        name: Box<str>,
        /// The time since the start of the call.
        after: Duration,
        /// The limit that was exceeded.
        limit: TimeLimit,
    },
    /// The server can't be reached, the queue of messages to it is full, because it reads too little, or too many of its
    /// resources are subscribed to. The request was not sent.
    #[error("`{}` was not sent to the server `{server}`: {why}", excerpt(name))]
    NotSent {
        /// The server.
        server: ServerName,
        /// The tool, prompt or URI.
        name: Box<str>,
        /// The reason.
        why: String,
    },
    /// The server wants an authorization for this call, such as one with more scopes, or there is no token. The call was not
    /// executed.
    #[error("`{}` was not authorized at the server `{server}`: {why}", excerpt(name))]
    Unauthorized {
        /// The server.
        server: ServerName,
        /// The tool, prompt or URI.
        name: Box<str>,
        /// The challenge of the server, or the reason why there is no token.
        why: String,
    },
    /// The connection ended before the answer. The server may or may not have executed the call.
    #[error(
        "the connection to the server `{server}` was lost during `{}`; the server may have executed it{}",
        excerpt(name), Reason(why.as_deref())
    )]
    ConnectionLost {
        /// The server.
        server: ServerName,
        /// The tool, prompt or URI.
        name: Box<str>,
        /// The reason of the loss, if it was found within 1.5 seconds, with the end of the stderr of a process. Otherwise the
        /// error of the request, if it could not be sent or its response could not be received.
        why: Option<Arc<str>>,
    },
    /// The server answered with a protocol error. The failure of a tool is an outcome instead.
    #[error("the server `{server}` refused `{}`: {} (code {})", excerpt(name), excerpt(&error.message), error.code.0)]
    Refused {
        /// The server.
        server: ServerName,
        /// The tool, prompt or URI.
        name: Box<str>,
        /// The error, with a message of at most 16 KiB and data of at most 64 KiB.
        error: ErrorData,
    },
    /// The server's answer is invalid for this request.
    #[error("the answer of the server `{server}` to `{}` can't be read: {why}", excerpt(name))]
    Protocol {
        /// The server.
        server: ServerName,
        /// The tool, prompt or URI.
        name: Box<str>,
        /// The problem.
        why: String,
    },
}

impl CallError {
    /// Returns the stable code of the error for records of calls, such as `unknown_server` or `denied`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownServer { .. } => "unknown_server",
            Self::Unknown { .. } => "unknown",
            Self::Unsupported { .. } => "unsupported",
            Self::ServerDisabled { .. } => "server_disabled",
            Self::ToolDisabled { .. } => "tool_disabled",
            Self::NotConnected { .. } => "not_connected",
            Self::BadArguments { .. } => "bad_arguments",
            Self::NeedsTask { .. } => "needs_task",
            Self::Denied { .. } => "denied",
            Self::NotSent { .. } => "not_sent",
            Self::Unauthorized { .. } => "unauthorized",
            Self::TimedOut { .. } => "timed_out",
            Self::ConnectionLost { .. } => "connection_lost",
            Self::Refused { .. } => "refused",
            Self::Protocol { .. } => "protocol",
        }
    }

    /// Returns whether the server may have executed the call.
    pub fn was_sent(&self) -> bool {
        matches!(
            self,
            Self::TimedOut { .. }
                | Self::ConnectionLost { .. }
                | Self::Refused { .. }
                | Self::Protocol { .. }
        )
    }
}

/// The rule that denied a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeniedBy {
    /// The configuration does not allow the call, and there is no handler.
    Default,
    /// The handler denied the call.
    Handler,
    /// The handler did not answer within this time limit.
    TimeLimit(Duration),
    /// The handler panicked.
    Panic,
    /// The server or the tool changed during the approval, so the approval does not apply to it.
    Change,
}

impl fmt::Display for DeniedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => {
                f.write_str(": the configuration does not allow it, and there is no approval handler")
            }
            Self::Handler => Ok(()),
            Self::TimeLimit(limit) => write!(f, ": it was not approved within {limit:.1?}"),
            Self::Panic => f.write_str(": the question could not be asked"),
            Self::Change => {
                f.write_str(": the server or the tool changed while it was asked for; call it again")
            }
        }
    }
}

/// The time limit that a call exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeLimit {
    /// The server's `timeout`, since the start of the call or the last progress.
    Timeout(Duration),
    /// The maximum duration, [`CallLimits::longest`](super::CallLimits::longest).
    Longest(Duration),
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout(limit) => write!(f, "after no progress for {limit:.1?}"),
            Self::Longest(limit) => write!(f, "as no call may take longer than {limit:.1?}"),
        }
    }
}

/// A violation of a schema by one part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The part, as a JSON pointer; empty for the whole value.
    pub pointer: String,
    /// The problem.
    pub problem: String,
}

impl Violation {
    /// Creates a violation by the whole value.
    pub(crate) fn whole(problem: &str) -> Self {
        Self { pointer: String::new(), problem: problem.to_owned() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, problem } = self;
        if pointer.is_empty() { f.write_str(problem) } else { write!(f, "{pointer}: {problem}") }
    }
}

/// Displays a similar name and the known names.
struct Alternatives<'a>(&'a str, &'a [Box<str>], Option<&'a str>);

impl fmt::Display for Alternatives<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(what, known, suggestion) = self;
        if let Some(suggestion) = suggestion {
            write!(f, ", perhaps `{suggestion}` is meant")?;
        }
        if known.is_empty() {
            return f.write_str("; there are none");
        }
        write!(f, "; the {what} are: ")?;
        for (index, name) in known.iter().take(MAX_NAMED).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}`{}`", excerpt(name))?;
        }
        match known.len().checked_sub(MAX_NAMED) {
            None | Some(0) => Ok(()),
            Some(more) => write!(f, " and {more} more"),
        }
    }
}

/// Displays why a server is not connected.
struct Disconnected<'a>(&'a ServerState);

impl fmt::Display for Disconnected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ServerState::Disabled(_) => f.write_str("it is disabled"),
            ServerState::Starting => f.write_str("it is still starting"),
            ServerState::Connected { .. } => f.write_str("the connection was lost a moment ago"),
            ServerState::NeedsAuthentication { .. } => f.write_str("it needs an authorization first"),
            ServerState::Reconnecting { why, .. } => write!(f, "it is being connected again ({why})"),
            ServerState::Failed { why } => f.write_str(why),
        }
    }
}

struct Lines<'a>(&'a [Violation]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|violation| write!(f, "\n- {violation}"))
    }
}

struct Reason<'a>(Option<&'a str>);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}

/// The maximum number of names in a text.
const MAX_NAMED: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_uri_is_cut_in_every_text() {
        let server = || ServerName::from("s");
        let name = || -> Box<str> { "x".repeat(10_000).into() };
        let (after, limit) = (Duration::ZERO, TimeLimit::Timeout(Duration::ZERO));
        for error in [
            CallError::TimedOut { server: server(), name: name(), after, limit },
            CallError::NotSent { server: server(), name: name(), why: String::new() },
            CallError::Unauthorized { server: server(), name: name(), why: String::new() },
            CallError::ConnectionLost { server: server(), name: name(), why: None },
            CallError::Refused { server: server(), name: name(), error: ErrorData::internal_error("", None) },
            CallError::Protocol { server: server(), name: name(), why: String::new() },
        ] {
            assert!(error.to_string().len() < 1000, "{}", error.code());
        }
    }
}
