//! When a hook is called, and what happens when it fails.

use std::time::Duration;

use agentwire_protocol::control::{HookFailure, HookMatcher};

/// When a hook is called, how long it may take, and what happens when it fails.
///
/// The CLI does the matching and applies the limit; a hook that exceeds it is taken back, and a `PreToolUse` call that
/// it guards is refused.
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

    /// Matches these tools, by their exact names; with no name at all it matches nothing.
    ///
    /// Names are those of hooks, where the start of a subagent is `Agent`.
    pub fn tools<I>(names: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut joined = String::new();
        for name in names {
            if !joined.is_empty() {
                joined.push('|');
            }
            joined.push_str(name.as_ref());
        }
        let pattern = if joined.is_empty() { Pattern::Nothing } else { Pattern::Text(joined.into()) };
        Self { pattern, ..Self::default() }
    }

    /// Matches by a pattern in the CLI's own words: an exact name, `A|B`, or a regular expression such as `mcp__.*`.
    ///
    /// An empty pattern and `*` match everything.
    pub fn pattern(pattern: impl Into<Box<str>>) -> Self {
        Self { pattern: Pattern::Text(pattern.into()), ..Self::default() }
    }

    /// The same, with a limit for each call (`timeout`, in seconds on the wire), applied by the CLI.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// The same, with a choice of what happens when the handler fails (`onFailure`).
    ///
    /// By default it is [`HookFailure::Block`] for events that can refuse: what a broken guard guards does not happen.
    /// [`HookFailure::Continue`] lets it happen.
    #[must_use]
    pub fn on_failure(mut self, choice: HookFailure) -> Self {
        self.on_failure = Some(choice);
        self
    }

    /// Whether a failing handler is to be answered with a refusal, where there is one.
    pub(crate) fn refuses_on_failure(&self) -> bool {
        self.on_failure != Some(HookFailure::Continue)
    }

    /// The entry of the handshake for one callback; `None` where nothing can match.
    pub(crate) fn declare(&self, callback_id: Box<str>, guards: bool) -> Option<HookMatcher> {
        let mut entry = HookMatcher::default();
        entry.matcher = match &self.pattern {
            Pattern::Everything => None,
            Pattern::Text(text) => Some(text.clone()),
            Pattern::Nothing => return None,
        };
        entry.hook_callback_ids = vec![callback_id];
        entry.timeout = self.timeout.map(|limit| limit.as_secs_f64());
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
