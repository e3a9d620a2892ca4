//! Why a call has no outcome.

use std::{fmt, time::Duration};

use rmcp::model::ErrorData;

use crate::{DisabledBy, ServerName, ServerState, Violation, excerpt::excerpt};

/// Why a call has no outcome. The text is meant for a model as well as for a person.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// No server has that name.
    #[error("there is no server `{}`{}", excerpt(server), Instead("servers", known, suggestion.as_deref()))]
    UnknownServer {
        /// The name.
        server: String,
        /// All that there are.
        known: Vec<Box<str>>,
        /// The one that may be meant.
        suggestion: Option<Box<str>>,
    },
    /// The server has no tool, prompt of that name.
    #[error("the server `{server}` has no {kind} `{}`{}", excerpt(name), Instead("names", known, suggestion.as_deref()))]
    Unknown {
        /// The server.
        server: ServerName,
        /// What it has not: `tool`, `prompt`.
        kind: &'static str,
        /// The name.
        name: String,
        /// All that there are and may be used.
        known: Vec<Box<str>>,
        /// The one that may be meant.
        suggestion: Option<Box<str>>,
    },
    /// The server offers nothing of that kind at all.
    #[error("the server `{server}` has no {what}")]
    Unsupported {
        /// The server.
        server: ServerName,
        /// What it has not: `resources`, `prompts`, `completions`.
        what: &'static str,
    },
    /// The server is switched off.
    #[error("the server `{server}` is disabled {}", match by {
        DisabledBy::Config => "in its configuration",
        DisabledBy::Hub => "with all MCP servers",
        DisabledBy::Untrusted => "until the user trusts it: it is configured in a file of the project",
    })]
    ServerDisabled {
        /// The server.
        server: ServerName,
        /// Who switched it off.
        by: DisabledBy,
    },
    /// The configuration does not let the tool be called.
    #[error("the tool `{tool}` of the server `{server}` is disabled in the configuration")]
    ToolDisabled {
        /// The server.
        server: ServerName,
        /// The tool.
        tool: Box<str>,
    },
    /// The server is there, and not connected now.
    #[error("the server `{server}` is not connected: {}", Why(state))]
    NotConnected {
        /// The server.
        server: ServerName,
        /// How it stands with it.
        state: ServerState,
    },
    /// The arguments are not what the tool takes; it was not called.
    #[error("the arguments do not fit the tool `{tool}` of the server `{server}`:{}", Lines(violations))]
    BadArguments {
        /// The server.
        server: ServerName,
        /// The tool.
        tool: Box<str>,
        /// All that is wrong with them; they may quote the arguments.
        violations: Vec<Violation>,
    },
    /// The tool can be called as a task only (`execution.taskSupport`), which the hub can't do; it was not called.
    #[error(
        "the tool `{tool}` of the server `{server}` can only be called as a task, which is not supported"
    )]
    NeedsTask {
        /// The server.
        server: ServerName,
        /// The tool.
        tool: Box<str>,
    },
    /// The call was not allowed; the tool was not called, or the resource not read.
    #[error("the call of `{}` of the server `{server}` was denied{by}{}", excerpt(tool), Reason(reason.as_deref()))]
    Denied {
        /// The server.
        server: ServerName,
        /// The tool, or the URI of the resource.
        tool: Box<str>,
        /// By whom, or by what.
        by: DeniedBy,
        /// Why, where a reason was given.
        reason: Option<String>,
    },
    /// The server did not answer in time, and was told to stop.
    #[error(
        "`{name}` of the server `{server}` did not end in time: it was cancelled after {after:.1?}, {limit}"
    )]
    TimedOut {
        /// The server.
        server: ServerName,
        /// What was called or read.
        name: Box<str>,
        /// How long it took until then.
        after: Duration,
        /// The limit that it came to.
        limit: TimeLimit,
    },
    /// The server takes too little input, and the call found no room among what waits to be written: nothing was sent.
    #[error("`{name}` was not sent to the server `{server}`: {why}")]
    NotSent {
        /// The server.
        server: ServerName,
        /// What was to be called or read.
        name: Box<str>,
        /// How much waits to be written.
        why: String,
    },
    /// The connection ended before the server had answered: nobody knows what it did.
    #[error(
        "the connection to the server `{server}` was lost during `{name}`, which may have been done all the same"
    )]
    ConnectionLost {
        /// The server.
        server: ServerName,
        /// What was called or read.
        name: Box<str>,
    },
    /// The server answered with an error of the protocol. That a tool failed is none, but an outcome.
    #[error("the server `{server}` refused `{name}`: {} (code {})", excerpt(&error.message), error.code.0)]
    Refused {
        /// The server.
        server: ServerName,
        /// What was called or read.
        name: Box<str>,
        /// What it said: a message of at most 16 KiB, and data only up to 64 KiB.
        error: ErrorData,
    },
    /// The server answered with something that is no answer to this.
    #[error("the server `{server}` gave no answer to `{name}` that can be read: {why}")]
    Protocol {
        /// The server.
        server: ServerName,
        /// What was called or read.
        name: Box<str>,
        /// What is wrong with it.
        why: String,
    },
}

impl CallError {
    /// A name of the kind of error that does not change, as records of calls have it: `unknown_server`, `denied`.
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
            Self::TimedOut { .. } => "timed_out",
            Self::ConnectionLost { .. } => "connection_lost",
            Self::Refused { .. } => "refused",
            Self::Protocol { .. } => "protocol",
        }
    }

    /// Whether the server may have begun to do what was asked for.
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

/// Who or what did not allow a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeniedBy {
    /// Nobody is there to be asked.
    Default,
    /// The handler that was asked.
    Handler,
    /// The handler did not answer within so much time.
    TimeLimit(Duration),
    /// The handler panicked.
    Panic,
    /// The server or the tool became another while the question was open: what was allowed is not what would be called.
    Change,
}

impl fmt::Display for DeniedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str(": it is not allowed in the configuration, and nobody can be asked"),
            Self::Handler => Ok(()),
            Self::TimeLimit(limit) => write!(f, ": nobody allowed it within {limit:.1?}"),
            Self::Panic => f.write_str(": the question could not be asked"),
            Self::Change => {
                f.write_str(": the server or the tool changed while it was asked for; call it again")
            }
        }
    }
}

/// The limit that a call came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeLimit {
    /// The server's `timeout`, since the call began or since the last sign of progress.
    Timeout(Duration),
    /// [`CallLimits::longest`](super::CallLimits::longest).
    Longest(Duration),
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout(limit) => write!(f, "having shown no progress for {limit:.1?}"),
            Self::Longest(limit) => write!(f, "as no call may take longer than {limit:.1?}"),
        }
    }
}

/// What there is in place of what is not there.
struct Instead<'a>(&'a str, &'a [Box<str>], Option<&'a str>);

impl fmt::Display for Instead<'_> {
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

/// Why a server is not connected.
struct Why<'a>(&'a ServerState);

impl fmt::Display for Why<'_> {
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

/// How many names a text lists.
const MAX_NAMED: usize = 50;
