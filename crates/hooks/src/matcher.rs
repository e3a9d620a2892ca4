//! When a hook is called, and what happens when it fails.

use std::time::Duration;

use agentwire_protocol::control::{HookFailure, HookMatcher};

use crate::pattern::exactly;

/// When a hook is called, how long it may take, and what happens when it fails.
///
/// The CLI does the matching: it compares the pattern with one field of the event's input
/// ([`HookEvent::MATCHED_BY`](agentwire_protocol::hook::HookEvent::MATCHED_BY)).
/// A pattern that would match nothing, such as a regular expression with a mistake, is refused with the session
/// ([`Hooks::check`](crate::Hooks::check)); one for an event whose matchers the CLI ignores is warned about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matcher {
    pattern: Pattern,
    timeout: Option<Duration>,
    on_failure: Option<HookFailure>,
}

impl Matcher {
    /// Matches everything, as a registration without a matcher does.
    pub fn any() -> Self {
        Self::default()
    }

    /// Matches these tools, by their exact names, whatever characters those have; with no name at all it matches nothing.
    ///
    /// Names are those of hooks, with their case: the start of a subagent is `Agent` (`Task` matches it too), and a tool
    /// of an MCP server `mcp__server__tool`, where all but letters, digits, `_` and `-` has become `_`.
    pub fn tools<I>(names: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let pattern = exactly(names).map_or(Pattern::Nothing, Pattern::Text);
        Self { pattern, ..Self::default() }
    }

    /// Matches by a pattern in the CLI's own words: exact names such as `Edit|Write`, or a regular expression.
    ///
    /// An empty pattern and `*` match everything.
    /// Letters, digits, `_`, `-` and spaces with `|` or `,` between them are a list of names, each compared whole.
    /// Anything else is a regular expression of JavaScript's, with its case, and it is enough that a part of the name
    /// matches: `mcp__srv__.*` is all tools of a server, and `Edit.*` is `NotebookEdit` too unless it is `^Edit.*`.
    pub fn pattern(pattern: impl Into<Box<str>>) -> Self {
        Self { pattern: Pattern::Text(pattern.into()), ..Self::default() }
    }

    /// The same, with a limit for each call (`timeout`, in seconds on the wire), applied by the CLI.
    ///
    /// By default it is that of the event
    /// ([`HookEvent::DEFAULT_LIMIT`](agentwire_protocol::hook::HookEvent::DEFAULT_LIMIT)), which zero means too.
    /// See [`HookContext::deadline`](crate::HookContext::deadline) for what happens at the limit.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit).filter(|limit| !limit.is_zero());
        self
    }

    /// The same, with a choice of what happens when the handler fails (`onFailure`).
    ///
    /// By default it is [`HookFailure::Block`] for events that can refuse: what a broken guard guards does not happen.
    /// [`HookFailure::Continue`] lets it happen.
    /// A session whose CLI does not support [`HookFailure::Block`] is refused where that was chosen here by name
    /// ([`Hooks::check_supported`](crate::Hooks::check_supported)), and not where it is the default.
    #[must_use]
    pub fn on_failure(mut self, choice: HookFailure) -> Self {
        self.on_failure = Some(choice);
        self
    }

    /// Whether a failing handler is to be answered with a refusal, where there is one.
    pub(crate) fn refuses_on_failure(&self) -> bool {
        self.on_failure != Some(HookFailure::Continue)
    }

    /// Whether a failure is to block by the user's own choice.
    pub(crate) fn blocks_by_name(&self) -> bool {
        self.on_failure == Some(HookFailure::Block)
    }

    pub(crate) fn limit(&self) -> Option<Duration> {
        self.timeout
    }

    /// The pattern, where there is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.pattern {
            Pattern::Text(text) => Some(text),
            Pattern::Everything | Pattern::Nothing => None,
        }
    }

    /// The entry of the handshake for one callback; `None` where nothing can match.
    pub(crate) fn declare(
        &self,
        callback_id: Box<str>,
        guards: bool,
        limit: Option<Duration>,
    ) -> Option<HookMatcher> {
        let mut entry = HookMatcher::default();
        entry.matcher = match &self.pattern {
            Pattern::Everything => None,
            Pattern::Text(text) => Some(text.clone()),
            Pattern::Nothing => return None,
        };
        entry.hook_callback_ids = vec![callback_id];
        entry.timeout = limit.map(|limit| limit.as_secs_f64());
        entry.on_failure = self.on_failure.clone().or_else(|| guards.then_some(HookFailure::Block));
        Some(entry)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
enum Pattern {
    #[default]
    Everything,
    Text(Box<str>),
    /// On the wire an empty list of names would be an empty pattern, which matches everything.
    Nothing,
}
