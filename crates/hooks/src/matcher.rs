//! When a hook is called, and what happens when it fails.

use std::time::Duration;

use agentwire_protocol::control::{HookFailure, HookMatcher};

use crate::pattern::{self, exactly, name};

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

    /// Matches these tools by their exact names.
    ///
    /// Names are those of hooks, with their case: the start of a subagent is `Agent` (`Task` matches it too), and a tool
    /// of an MCP server is `mcp__server__tool`.
    /// There the CLI writes `_` for all but letters, digits, `_` and `-`, and so does this function: a tool `do.it` may
    /// be given as `mcp__server__do.it`.
    ///
    /// [`Hooks::check`](crate::Hooks::check), and so the start of a session, refuses an empty list and what is no tool's
    /// name: a rule (`Bash(rm:*)`), a name with a `*` or a blank, and a server without a tool (all tools of a server are
    /// [`pattern("mcp__server__.*")`](Self::pattern)).
    pub fn tools<I>(names: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let names = names.into_iter().map(|name| name::given(name.as_ref()).into()).collect::<Box<[_]>>();
        let text = exactly(&names);
        Self { pattern: Pattern::Names { names, text }, ..Self::default() }
    }

    /// Matches by a pattern in the CLI's own words: exact names such as `Edit|Write`, or a regular expression.
    ///
    /// An empty pattern and `*` match everything.
    /// Letters, digits, `_`, `-` and spaces with `|` or `,` between them are a list of names, each compared whole.
    /// Anything else is a JavaScript regular expression without flags, and it is enough that a part of the name
    /// matches: `mcp__srv__.*` is all tools of a server, and `Edit.*` is `NotebookEdit` too unless it is `^Edit.*`.
    /// Blanks around the pattern are removed.
    ///
    /// [`Hooks::check`](crate::Hooks::check) refuses a pattern with a part that can match no tool's name, and what
    /// versions of JavaScript read differently (named groups, `\k`, modifiers such as `(?i:…)`, escaped letters).
    pub fn pattern(pattern: impl Into<Box<str>>) -> Self {
        let mut text = pattern.into();
        if text.trim().len() < text.len() && !text.trim().is_empty() {
            text = text.trim().into();
        }
        Self { pattern: Pattern::Text(text), ..Self::default() }
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
            Pattern::Text(text) | Pattern::Names { text, .. } => Some(text),
            Pattern::Everything => None,
        }
    }

    /// Whether it is a list without a name.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.pattern, Pattern::Names { names, .. } if names.is_empty())
    }

    /// Checks that each name or each part of the pattern can match.
    ///
    /// # Errors
    ///
    /// Why one can't.
    pub(crate) fn check(&self, of_tools: bool) -> Result<(), String> {
        match &self.pattern {
            Pattern::Everything => Ok(()),
            _ if self.is_empty() => Err("the list of names is empty".to_owned()),
            Pattern::Names { names, .. } if of_tools => names.iter().try_for_each(|name| name::check(name)),
            Pattern::Text(text) | Pattern::Names { text, .. } => pattern::Pattern::read(text).check(of_tools),
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
            // An empty pattern on the wire would match everything.
            _ if self.is_empty() => return None,
            Pattern::Text(text) | Pattern::Names { text, .. } => Some(text.clone()),
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
    Names {
        names: Box<[Box<str>]>,
        /// The pattern that matches them.
        text: Box<str>,
    },
}
