//! Matchers: when a hook is called, its time limit, and the consequence of a failure.

use std::time::Duration;

use agentwire_protocol::control::{HookFailure, HookMatcher};

use crate::pattern::{Pattern, exactly, name};

/// The conditions of a hook: when it is called, its time limit, and the consequence of a failure.
///
/// The CLI does the matching: it compares the pattern with one field of the event's input
/// ([`HookEvent::MATCHED_BY`](agentwire_protocol::hook::HookEvent::MATCHED_BY)).
/// A pattern that would match nothing, such as an invalid regular expression, fails the start of the session
/// ([`Hooks::check`](crate::Hooks::check)); a matcher that the CLI ignores for its event causes a warning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matcher {
    pattern: Selection,
    pub(crate) timeout: Option<Duration>,
    pub(crate) on_failure: Option<HookFailure>,
}

impl Matcher {
    /// Matches everything, as a registration without a matcher does.
    pub fn any() -> Self {
        Self::default()
    }

    /// Matches these tools by their exact names.
    ///
    /// Names are those of hooks, with their case: the start of a subagent is `Agent`, and a tool of an MCP server is
    /// `mcp__server__tool`. Older names match too, such as `Task` for `Agent`.
    /// In MCP names the CLI replaces all characters but letters, digits, `_` and `-` by `_`, and so does this function: a
    /// tool `do.it` may be written as `mcp__server__do.it`.
    ///
    /// [`Hooks::check`](crate::Hooks::check), and thus the start of a session, refuses an empty list and invalid names: a
    /// rule (`Bash(rm:*)`), a name with a `*` or a blank, and a server without a tool (use
    /// [`pattern("mcp__server__.*")`](Self::pattern) for all tools of a server).
    pub fn tools<I>(names: I) -> Self
    where
        I: IntoIterator<Item: AsRef<str>>,
    {
        let names = names.into_iter().map(|name| name::given(name.as_ref()).into()).collect::<Box<[_]>>();
        let text = exactly(&names);
        Self { pattern: Selection::Names { names, text }, ..Self::default() }
    }

    /// Matches by a pattern in the CLI's syntax: exact names such as `Edit|Write`, or a regular expression.
    ///
    /// An empty pattern and `*` match everything.
    /// Letters, digits, `_`, `-` and spaces with `|` or `,` between them are a list of names, each compared whole.
    /// Anything else is a JavaScript regular expression without flags, which may match any part of the name:
    /// `mcp__srv__.*` matches all tools of a server, and `Edit.*` matches `NotebookEdit` too, unlike `^Edit.*`.
    /// Blanks around the pattern are removed.
    ///
    /// [`Hooks::check`](crate::Hooks::check) refuses a pattern with a part that can match no tool's name, and syntax that
    /// depends on the version of JavaScript (named groups, `\k`, modifiers such as `(?i:…)`, escaped letters).
    pub fn pattern(pattern: impl Into<Box<str>>) -> Self {
        let mut text = pattern.into();
        if text.trim().len() < text.len() && !text.trim().is_empty() {
            text = text.trim().into();
        }
        Self { pattern: Selection::Text(text), ..Self::default() }
    }

    /// Sets the CLI's time limit for each call (`timeout`, in seconds on the wire).
    ///
    /// The default is the event's limit
    /// ([`HookEvent::DEFAULT_LIMIT`](agentwire_protocol::hook::HookEvent::DEFAULT_LIMIT)); zero means the default.
    /// For `SessionEnd` the CLI allows 1.5 seconds at most, so a longer limit has no effect.
    /// See [`HookContext::deadline`](crate::HookContext::deadline) for what happens at the limit.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit).filter(|limit| !limit.is_zero());
        self
    }

    /// Sets the consequence of a failing handler (`onFailure`).
    ///
    /// The default for events that can refuse is [`HookFailure::Block`]: the event is refused.
    /// [`HookFailure::Continue`] lets it pass, except after the time limit of an event that the CLI refuses when late
    /// ([`REFUSES_WHEN_LATE`](agentwire_protocol::hook::HookEvent::REFUSES_WHEN_LATE)).
    /// If the CLI does not support [`HookFailure::Block`], an explicit choice of it fails the start of the session
    /// ([`Hooks::check_supported`](crate::Hooks::check_supported)); the default does not.
    #[must_use]
    pub fn on_failure(mut self, choice: HookFailure) -> Self {
        self.on_failure = Some(choice);
        self
    }

    /// Returns whether the CLI would call a tool's hook with this matcher.
    ///
    /// The name is that of a hook's input. Older names of a tool match too, such as `Task` for `Agent`.
    pub fn matches(&self, tool: &str) -> bool {
        let tools: Vec<&str> = name::all(tool).collect();
        !self.is_empty() && self.text().is_none_or(|text| Pattern::read(text).matches(&tools))
    }

    /// Returns whether a failing handler refuses the event, if the event can be refused.
    pub(crate) fn refuses_on_failure(&self) -> bool {
        self.on_failure != Some(HookFailure::Continue)
    }

    /// Returns the pattern, if there is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.pattern {
            Selection::Text(text) | Selection::Names { text, .. } => Some(text),
            Selection::Everything => None,
        }
    }

    /// Returns whether this is an empty list of names.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.pattern, Selection::Names { names, .. } if names.is_empty())
    }

    /// Checks that each name or each part of the pattern can match; the error names the one that can't.
    pub(crate) fn check(&self, of_tools: bool) -> Result<(), String> {
        match &self.pattern {
            Selection::Everything => Ok(()),
            _ if self.is_empty() => Err("the list of names is empty".to_owned()),
            Selection::Names { names, .. } if of_tools => names.iter().try_for_each(|name| name::check(name)),
            Selection::Text(text) | Selection::Names { text, .. } => Pattern::read(text).check(of_tools),
        }
    }

    /// Returns the handshake's entry for one callback, or `None` if nothing can match.
    pub(crate) fn declare(
        &self,
        callback_id: Box<str>,
        guards: bool,
        limit: Option<Duration>,
    ) -> Option<HookMatcher> {
        // An empty pattern on the wire would match everything.
        if self.is_empty() {
            return None;
        }
        let mut entry = HookMatcher::default();
        entry.matcher = self.text().map(Box::from);
        entry.hook_callback_ids = vec![callback_id];
        entry.timeout = limit.map(|limit| limit.as_secs_f64());
        entry.on_failure = self.on_failure.clone().or_else(|| guards.then_some(HookFailure::Block));
        Some(entry)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
enum Selection {
    #[default]
    Everything,
    Text(Box<str>),
    Names {
        names: Box<[Box<str>]>,
        /// The pattern that matches them.
        text: Box<str>,
    },
}
