//! What is wrong with registrations: what refuses a session, and what is only worth knowing.

use std::{fmt, time::Duration};

use crate::pattern::Pattern;

/// Why hooks can't be used as they are registered: one of them would not guard what it is there to guard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HooksError {
    /// A matcher that matches nothing, or not all that it names. Correct the pattern.
    ///
    /// The CLI takes any pattern, and of one with a mistake it says nothing and matches nothing.
    #[error("the matcher `{pattern}` of the {event} hook does not match what it is meant to: {why}")]
    Matcher {
        /// The event.
        event: Box<str>,
        /// The pattern.
        pattern: Box<str>,
        /// What is wrong with it.
        why: String,
    },
    /// A hook asks by name for its failure to block
    /// ([`HookFailure::Block`](agentwire_protocol::control::HookFailure::Block)), and the CLI does not support that.
    /// Use a newer CLI, or leave the choice out: what this crate can refuse, it refuses with any CLI.
    #[error("the {event} hook asks for its failures to block, which this CLI does not support")]
    BlockUnsupported {
        /// The event.
        event: Box<str>,
    },
}

/// What is worth knowing of hooks that work all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookWarning {
    /// The CLI ignores matchers of this event, and calls the hook each time.
    MatcherIgnored {
        /// The event.
        event: Box<str>,
        /// The pattern.
        pattern: Box<str>,
    },
    /// The hook is not called, or not as often as its event's name says.
    SeldomCalled {
        /// The event.
        event: Box<str>,
        /// When it is called, if ever.
        why: &'static str,
    },
    /// The matcher does not fit the tools that the CLI names when the first turn starts (`system/init`), so the hook may
    /// guard nothing.
    ///
    /// Tools may come later: of an MCP server that is not connected yet, of a subagent, or found by a tool search.
    MatchesNoTool {
        /// The event.
        event: Box<str>,
        /// The pattern.
        pattern: Box<str>,
        /// What does not fit.
        why: String,
    },
    /// The CLI is too old to hold back what these hooks guard while they have not answered.
    ///
    /// What a hook answers counts, and so does its refusal where it fails or takes too long.
    /// But where the session ends, or this program does, before the answer is written, such a CLI goes ahead; and a
    /// resumed session may go on with a deferred tool use before it knows the hooks.
    BlockUnsupported {
        /// The events of the guarding hooks.
        events: Vec<Box<str>>,
    },
    /// This version does not know the event; a name that the CLI does not know either is never called.
    UnknownEvent {
        /// The event.
        event: Box<str>,
    },
}

impl fmt::Display for HookWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MatcherIgnored { event, pattern } => {
                write!(f, "the CLI ignores the matcher `{pattern}`: it calls the {event} hook each time")
            }
            Self::SeldomCalled { event, why } => {
                write!(f, "the {event} hook is seldom or never called: {why}")
            }
            Self::MatchesNoTool { event, pattern, why } => {
                write!(f, "the {event} hook with the matcher `{pattern}` may guard nothing: {why}")
            }
            Self::BlockUnsupported { events } => write!(
                f,
                "this CLI goes ahead where a guarding hook has not answered when the session ends: {}",
                events.join(", ")
            ),
            Self::UnknownEvent { event } => {
                write!(
                    f,
                    "the event {event} is not known to this version: if the CLI does not know it, the hook is never called"
                )
            }
        }
    }
}

/// When hooks of an event are called, where that is not each time; `None` where it is.
///
/// Measured on CLI 2.1.330, with callbacks.
pub(crate) fn seldom_called(event: &str, pattern: Option<&str>) -> Option<&'static str> {
    let after_all = |names: &[&str]| names.iter().any(|name| CALLED_SOURCES.contains(name));
    Some(match event {
        "SessionStart" if !pattern.is_some_and(|text| names(text).is_some_and(|names| after_all(&names))) => {
            "callbacks are called after `/clear` and after a compaction, not when a session starts or is resumed"
        }
        "Setup" | "TeammateIdle" => "no callback was ever called for this event",
        "CwdChanged" | "FileChanged" => {
            "callbacks are called only where a hook in the settings is registered for this event too"
        }
        _ => return None,
    })
}

fn names(text: &str) -> Option<Vec<&str>> {
    match Pattern::read(text) {
        Pattern::Names(names) => Some(names),
        Pattern::Everything | Pattern::Regex(_) => None,
    }
}

/// The limit of events that this version does not know: that of most.
pub(crate) const UNKNOWN_LIMIT: Duration = Duration::from_secs(600);
/// The sources for which callbacks of `SessionStart` are called.
const CALLED_SOURCES: &[&str] = &["clear", "compact"];
