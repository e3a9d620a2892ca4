//! Problems of registrations: errors that fail the start of a session, and warnings.

use std::time::Duration;

use crate::pattern::Pattern;

/// An error in the registrations: a hook would not guard its event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HooksError {
    /// A matcher that matches nothing, or not all that it names. Correct the pattern.
    ///
    /// The CLI accepts an invalid pattern without an error, and the pattern then matches nothing.
    #[error("the matcher `{pattern}` of the {event} hook does not match what it is meant to: {why}")]
    Matcher {
        /// The event.
        event: Box<str>,
        /// The pattern.
        pattern: Box<str>,
        /// The reason.
        why: String,
    },
    /// A hook explicitly chooses [`HookFailure::Block`](agentwire_protocol::control::HookFailure::Block), and the CLI does
    /// not support that.
    /// Use a newer CLI, or leave the choice out: the refusals of this crate work with any CLI.
    #[error("the {event} hook requires that its failures block, which this CLI does not support")]
    BlockUnsupported {
        /// The event.
        event: Box<str>,
    },
    /// The CLI did not register the hooks, as in a session that another program has started. Start a session of your own.
    #[error("the CLI did not register the hooks: the session was already running")]
    NotRegistered,
}

/// A warning about hooks that a session starts with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HookWarning {
    /// The CLI ignores matchers of this event, and calls the hook each time.
    #[error("the CLI ignores the matcher `{pattern}`: it calls the {event} hook each time")]
    MatcherIgnored {
        /// The event.
        event: Box<str>,
        /// The pattern.
        pattern: Box<str>,
    },
    /// The CLI calls the hook never, or less often than the event's name suggests.
    #[error("the {event} hook is seldom or never called: {why}")]
    SeldomCalled {
        /// The event.
        event: Box<str>,
        /// When the CLI calls it, if ever.
        why: &'static str,
    },
    /// The matcher matches none of the tools in the first `system/init`, so the hook may guard nothing.
    ///
    /// More tools may appear later: of an MCP server that connects, of a subagent, or from a tool search.
    #[error("the {event} hook with the matcher `{pattern}` may guard nothing: {why}")]
    MatchesNoTool {
        /// The event.
        event: Box<str>,
        /// The pattern.
        pattern: Box<str>,
        /// The part that matches no tool.
        why: String,
    },
    /// The CLI is too old to block on a hook without an answer.
    ///
    /// Answers of these hooks count, including the refusals after a failure or at the limit.
    /// But if the session or this program ends before the answer is written, such a CLI proceeds, and a resumed session
    /// may continue a deferred tool use before it knows the hooks.
    #[error("this CLI proceeds if a guarding hook has not answered when the session ends: {}", events.join(", "))]
    BlockUnsupported {
        /// The events of the guarding hooks.
        events: Vec<Box<str>>,
    },
    /// This version does not know the event. If the CLI does not know it either, the hook is never called.
    #[error(
        "the event {event} is not known to this version: if the CLI does not know it, the hook is never called"
    )]
    UnknownEvent {
        /// The event.
        event: Box<str>,
    },
}

/// Returns when the CLI calls hooks of an event, or `None` if it calls them every time.
///
/// Measured on CLI 2.1.330, with callbacks.
pub(crate) fn seldom_called(event: &str, pattern: Option<&str>) -> Option<&'static str> {
    let is_called = |pattern| match Pattern::read(pattern) {
        Pattern::Names(names) => names.iter().any(|name| CALLED_SOURCES.contains(name)),
        Pattern::Everything | Pattern::Regex(_) => false,
    };
    Some(match event {
        "SessionStart" if !pattern.is_some_and(is_called) => {
            "callbacks are called after `/clear` and after a compaction, not when a session starts or is resumed"
        }
        "Setup" | "TeammateIdle" => "no callback was ever called for this event",
        "CwdChanged" | "FileChanged" => {
            "callbacks are called only where a hook in the settings is registered for this event too"
        }
        _ => return None,
    })
}

/// The limit of unknown events, which is the limit of most known ones.
pub(crate) const UNKNOWN_LIMIT: Duration = Duration::from_secs(600);
/// The sources for which the CLI calls callbacks of `SessionStart`.
const CALLED_SOURCES: &[&str] = &["clear", "compact"];
