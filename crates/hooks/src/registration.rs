//! One handler for one event: its declaration, its calls, and the consequence of its failure.

use std::{sync::Arc, time::Duration};

use agentwire_control::{CallContext, CallbackError, RefusalFn, Reply, panics::catch_panic};
use agentwire_protocol::control::{HookCallback, HookMatcher};
use tokio::time::Instant;

use crate::{
    HookContext, HookWarning, HooksError, Matcher,
    callback::Callback,
    error::HandlerError,
    event::Event,
    limit::Limit,
    pattern::Pattern,
    problem::{UNKNOWN_LIMIT, seldom_called},
};

/// One handler for one event.
#[derive(Clone)]
pub(crate) struct Registration {
    pub(crate) event: Box<str>,
    pub(crate) matcher: Matcher,
    callback: Callback,
    /// `None` if this version does not know the event.
    known: Option<Event>,
    /// Whether the user has named the event.
    named: bool,
}

impl Registration {
    pub(crate) fn new(name: &str, matcher: Matcher, callback: Callback, known: Option<Event>) -> Self {
        Self { event: name.into(), matcher, callback, known, named: true }
    }

    /// Turns off the warnings about the event, for a handler of all events.
    pub(crate) fn of_all_events(self) -> Self {
        Self { named: false, ..self }
    }

    /// Checks that the matcher can match.
    pub(crate) fn check(&self) -> Result<(), HooksError> {
        let Some(text) = self.matcher.text() else { return Ok(()) };
        // A hook with an empty list of names is never declared, even if the CLI ignores matchers of the event.
        let checked = match self.ignores_matchers() {
            true if !self.matcher.is_empty() => Ok(()),
            _ => self.matcher.check(self.is_of_tools()),
        };
        let (event, pattern) = (self.event.clone(), text.into());
        checked.map_err(|why| HooksError::Matcher { event, pattern, why })
    }

    /// Returns a warning if the matcher does not match the session's tools.
    pub(crate) fn misfit(&self, tools: &[&str]) -> Option<HookWarning> {
        let pattern = self.matcher.text().filter(|_| self.is_of_tools())?;
        let why = Pattern::read(pattern).misfit(tools)?;
        Some(HookWarning::MatchesNoTool { event: self.event.clone(), pattern: pattern.into(), why })
    }

    pub(crate) fn warnings(&self) -> Vec<HookWarning> {
        let mut warnings = Vec::new();
        if !self.named {
            return warnings;
        }
        if self.known.is_none() {
            warnings.push(HookWarning::UnknownEvent { event: self.event.clone() });
        }
        if let Some(pattern) = self.matcher.text().filter(|text| self.ignores_matchers() && !text.is_empty())
        {
            let pattern = pattern.into();
            warnings.push(HookWarning::MatcherIgnored { event: self.event.clone(), pattern });
        }
        if let Some(why) = seldom_called(&self.event, self.matcher.text()) {
            warnings.push(HookWarning::SeldomCalled { event: self.event.clone(), why });
        }
        warnings
    }

    /// Returns the handshake's entry, or `None` if nothing can match.
    pub(crate) fn declare(&self, callback_id: Box<str>) -> Option<HookMatcher> {
        let guards = self.known.is_none_or(|event| event.can_refuse);
        // A handler that must end before the CLI's limit needs a declared limit, regardless of the CLI's default.
        let limit = self.limit().declared.min(MAX_TIMER);
        let limit = (self.matcher.timeout.is_some() || self.answers_ahead()).then_some(limit);
        self.matcher.declare(callback_id, guards, limit)
    }

    /// Runs the handler within its limit. A failure is a refusal, or an error's text if the event can't be refused.
    pub(crate) fn call(self: Arc<Self>, callback: HookCallback, context: CallContext) -> Reply {
        let limit = self.limit();
        let start = Instant::now();
        let HookCallback { callback_id, input, tool_use_id, .. } = callback;
        let context = HookContext {
            callback_id,
            tool_use_id,
            request_id: context.request_id,
            // A child token: our own limit must not look like a cancellation by the CLI.
            cancelled: context.cancelled.child_token(),
            deadline: limit.deadline(start),
            control: context.control,
            failure_refuses: self.refuses_failures(),
            first_failure: Arc::default(),
        };
        let (cancelled, first_failure) = (context.cancelled.clone(), Arc::clone(&context.first_failure));
        let work = (self.callback)(input, context);
        Box::pin(async move {
            // Dropping the handler's future may panic too, at its end or at the limit.
            let answer = catch_panic(limit.bound(start, cancelled, work)).await;
            let answer =
                answer.map_err(HandlerError::Panicked).and_then(|answer| answer.ok_or(HandlerError::Late)?);
            let answer = answer.map_err(|error| self.failed(&error));
            match first_failure.get() {
                Some((kind, reason)) => {
                    let answer = answer.or_else(|error| error.answer);
                    Err(CallbackError::new(*kind, reason).with_answer(answer))
                }
                None => answer,
            }
        })
    }

    /// Returns the failure, with the event's refusal as its answer if it has one.
    fn failed(&self, error: &HandlerError) -> CallbackError {
        let (event, failure) = (&*self.event, error.kind());
        // The log omits the reason, which may quote the hook's input; it goes to the CLI and the observer.
        tracing::warn!(event, failure = failure.as_str(), "a hook has failed");
        let reason = format!("the {event} hook {error}");
        let refusing = self.known.filter(|_| self.matcher.refuses_on_failure());
        let error = CallbackError::new(failure, reason);
        match refusing.and_then(|event| (event.refusal)(&error.reason)) {
            Some(refusal) => error.with_answer(Ok(refusal)),
            None => error,
        }
    }

    /// Returns the refusal for the end of the session and for a panic, or `None` if the event can't or must not be refused.
    pub(crate) fn refusal(&self) -> Option<RefusalFn> {
        self.known.filter(|_| self.guards()).map(|event| event.refusal)
    }

    /// Returns whether the CLI could proceed without this hook where the hook would refuse.
    pub(crate) fn guards(&self) -> bool {
        let can_refuse = self.known.is_none_or(|event| event.can_refuse);
        can_refuse && self.matcher.refuses_on_failure() && !GO_ON.contains(&&*self.event)
    }

    /// Returns whether a failure refuses the event.
    fn refuses_failures(&self) -> bool {
        self.known.is_some_and(|event| event.can_refuse) && self.matcher.refuses_on_failure()
    }

    fn limit(&self) -> Limit {
        let own = self.known.map_or(UNKNOWN_LIMIT, |event| event.limit);
        // The CLI ignores a longer limit of a matcher for this event.
        let most = if &*self.event == "SessionEnd" { own } else { Duration::MAX };
        let whole = self.matcher.timeout.unwrap_or(own).min(most);
        if self.answers_ahead() { Limit::ahead_of(whole) } else { Limit::behind(whole) }
    }

    /// Returns whether the handler must answer before the CLI's limit, since the CLI would let a late event pass.
    fn answers_ahead(&self) -> bool {
        self.refuses_failures() && self.known.is_some_and(|event| !event.refuses_when_late)
    }

    fn is_of_tools(&self) -> bool {
        self.known.is_some_and(|event| event.matched_by == Some(OF_TOOLS))
    }

    fn ignores_matchers(&self) -> bool {
        self.known.is_some_and(|event| event.matched_by.is_none())
    }
}

/// The maximum of a JavaScript timer, 24 days; a longer one may fire immediately.
const MAX_TIMER: Duration = Duration::from_millis(i32::MAX as u64);
/// A refusal of these events makes the model continue, which must not happen at the end of a session.
const GO_ON: &[&str] = &["Stop", "SubagentStop", "TeammateIdle"];
/// The field that names a tool.
const OF_TOOLS: &str = "tool_name";
