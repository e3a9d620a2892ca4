//! One handler for one event: what the handshake says of it, how it is run, and what becomes of its failure.

use std::{sync::Arc, time::Duration};

use agentwire_control::{CallContext, CallbackError, Refusal, Reply};
use agentwire_protocol::{
    RawJson,
    control::{HookCallback, HookMatcher},
};
use tokio::time::Instant;

use crate::{
    HookContext, HookWarning, HooksError, Matcher,
    callback::{Callback, catch_panic},
    error::HookError,
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
    /// `None` where this version does not know the event.
    known: Option<Event>,
    /// Whether the user has named the event.
    named: bool,
}

impl Registration {
    pub(crate) fn new(name: &str, matcher: Matcher, callback: Callback, known: Option<Event>) -> Self {
        Self { event: name.into(), matcher, callback, known, named: true }
    }

    /// The same for a handler that takes whatever comes: that an event never comes is no surprise to it.
    pub(crate) fn for_whatever_comes(self) -> Self {
        Self { named: false, ..self }
    }

    pub(crate) fn blocks_by_name(&self) -> bool {
        self.matcher.blocks_by_name()
    }

    /// Checks that the matcher can match.
    pub(crate) fn check(&self) -> Result<(), HooksError> {
        let Some(text) = self.matcher.text() else { return Ok(()) };
        // Without names the hook is not declared at all, whether the CLI heeds matchers of the event or not.
        let checked = match self.ignores_matchers() {
            true if !self.matcher.is_empty() => Ok(()),
            _ => self.matcher.check(self.is_of_tools()),
        };
        let (event, pattern) = (self.event.clone(), text.into());
        checked.map_err(|why| HooksError::Matcher { event, pattern, why })
    }

    /// The warning for a matcher that does not fit the tools of the session.
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

    /// The entry of the handshake; `None` where nothing can match.
    pub(crate) fn declare(&self, callback_id: Box<str>) -> Option<HookMatcher> {
        let guards = self.known.is_none_or(|event| event.can_refuse);
        // Where we must be done before the CLI's limit, that must be known, whatever the CLI's own default is.
        let limit = self.limit().declared.min(LONGEST);
        let limit = (self.matcher.limit().is_some() || self.answers_ahead()).then_some(limit);
        self.matcher.declare(callback_id, guards, limit)
    }

    /// Runs the handler within its limit; an error is the text of its failure, where that is no refusal.
    pub(crate) fn call(self: Arc<Self>, callback: HookCallback, context: CallContext) -> Reply {
        let limit = self.limit();
        let start = Instant::now();
        let HookCallback { callback_id, input, tool_use_id, .. } = callback;
        let mut context = HookContext::new(callback_id, tool_use_id, context, limit.deadline(start));
        context.failure_refuses = self.refuses_failures();
        let (told, first_failure) = (context.cancelled.clone(), Arc::clone(&context.first_failure));
        let work = (self.callback)(input, context);
        Box::pin(async move {
            // What a handler holds may panic too, when it is dropped: at its end, or at the limit.
            let answer = catch_panic(limit.bound(start, told, work)).await;
            let answer =
                answer.map_err(HookError::Panicked).and_then(|answer| answer.ok_or(HookError::Late)?);
            let answer = match answer {
                // The CLI treats a reply that is not an object as no answer, and goes ahead.
                Ok(reply) if is_object(&reply) => Ok(reply),
                Ok(_) => Err(self.failed(&HookError::NoObject)),
                Err(error) => Err(self.failed(&error)),
            };
            match first_failure.get() {
                Some((kind, reason)) => {
                    let answer = answer.or_else(|error| error.answer);
                    Err(CallbackError::new(*kind, reason).with_answer(answer))
                }
                None => answer,
            }
        })
    }

    /// The failure, answered with the event's refusal where it has one, else with its text.
    fn failed(&self, error: &HookError) -> CallbackError {
        let (event, failure) = (&*self.event, error.kind());
        // The reason may quote the hook's input: it goes to the CLI, and to whoever asked for such things.
        tracing::warn!(event, failure = failure.as_str(), "a hook has failed");
        let reason = format!("the {event} hook {error}");
        let refusing = self.known.filter(|_| self.matcher.refuses_on_failure());
        let error = CallbackError::new(failure, reason);
        match refusing.and_then(|event| (event.refusal)(&error.reason)) {
            Some(refusal) => error.with_answer(Ok(refusal)),
            None => error,
        }
    }

    /// How to refuse the event at the end of the session; `None` where it can't be refused, or is not to be.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        self.known.filter(|event| event.can_refuse && self.guards()).map(|event| event.refusal)
    }

    /// Whether the CLI may do something without this hook that it would not do with it.
    pub(crate) fn guards(&self) -> bool {
        let can_refuse = self.known.is_none_or(|event| event.can_refuse);
        can_refuse && self.matcher.refuses_on_failure() && !GO_ON.contains(&&*self.event)
    }

    /// Whether a failure is answered with a refusal.
    fn refuses_failures(&self) -> bool {
        self.known.is_some_and(|event| event.can_refuse) && self.matcher.refuses_on_failure()
    }

    fn limit(&self) -> Limit {
        let own = self.known.map_or(UNKNOWN_LIMIT, |event| event.limit);
        let whole = self.matcher.limit().unwrap_or(own);
        if self.answers_ahead() { Limit::ahead_of(whole) } else { Limit::behind(whole) }
    }

    /// Whether the CLI would let pass what the handler guards where it takes too long.
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

/// Whether the reply is an object.
pub(crate) fn is_object(reply: &RawJson) -> bool {
    reply.as_str().trim_start().starts_with('{')
}

/// The most that a timer of JavaScript's counts, which is 24 days; with more it may fire at once.
const LONGEST: Duration = Duration::from_millis(i32::MAX as u64);
/// To refuse these is to have the model go on, which nothing should at the end of a session.
const GO_ON: &[&str] = &["Stop", "SubagentStop", "TeammateIdle"];
/// The field that names a tool.
const OF_TOOLS: &str = "tool_name";
