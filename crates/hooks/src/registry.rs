//! The registrations of a session: handlers by event, their declaration in the handshake, and the answers to
//! `hook_callback`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    future::Future,
    sync::Arc,
};

use agentwire_control::{CallContext, RefusalFn, Reply, Responder, panics::excerpt};
use agentwire_protocol::{
    InboundRequest, RawJson,
    control::{HookFailure, HookMatcher, InitializeReply},
    hook::{HookAnswer, HookEvent, WorktreeCreate},
};

use crate::{
    AnyHook, HookContext, HookWarning, HooksError, IntoAnswer, Matcher,
    any::EVENTS,
    callback::{Callback, answer},
    error::HandlerError,
    event::Event,
    pattern::name,
    registration::Registration,
    strict,
};

/// The hooks of a session: handlers by event.
///
/// Put [`declaration`](Self::declaration) into the handshake, and pass the value to the session as a
/// [`Responder`](agentwire_control::Responder).
/// Clones share the handlers, so one value serves any number of sessions.
///
/// Handlers run concurrently, including handlers of the same event.
/// If a handler fails, panics or can't decode its input, the event is refused if it can be, unless the matcher has
/// [`HookFailure::Continue`](agentwire_protocol::control::HookFailure::Continue). Otherwise the answer is an error.
#[derive(Clone, Default)]
pub struct Hooks {
    registrations: Vec<Arc<Registration>>,
}

impl Hooks {
    /// Creates an empty set of hooks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `handler` at each `event`.
    ///
    /// A closure that captures is written `move |input, cx| { let s = s.clone(); async move { … } }`: an
    /// `async move` closure that captures can be called only once.
    #[must_use]
    pub fn on<E, F, Fut>(self, event: E, handler: F) -> Self
    where
        E: HookEvent,
        F: Fn(E::Input, HookContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<HookAnswer<E>>> + Send,
    {
        self.on_matching(event, Matcher::any(), handler)
    }

    /// Calls `handler` at each `event` that `matcher` lets through.
    #[must_use]
    pub fn on_matching<E, F, Fut>(self, event: E, matcher: Matcher, handler: F) -> Self
    where
        E: HookEvent,
        F: Fn(E::Input, HookContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<HookAnswer<E>>> + Send,
    {
        let _: E = event;
        let handler = Arc::new(handler);
        let callback: Callback = Arc::new(move |input, context| {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                let input = input.decode().map_err(HandlerError::Input)?;
                let reply: HookAnswer<E> = answer(|| (*handler)(input, context)).await?;
                let reply =
                    RawJson::encode(&reply).map_err(|error| HandlerError::Reply(error.to_string()))?;
                strict::check_typed::<E>(&reply).map_err(HandlerError::Misread)?;
                Ok(reply)
            })
        });
        self.register(Registration::new(E::NAME, matcher, callback, Some(Event::of::<E>())))
    }

    /// Calls `handler` at each event that this version knows ([`EVENTS`]), except `WorktreeCreate`.
    ///
    /// A handler of `WorktreeCreate` must create the worktree, so a mere observer would make it fail.
    /// A failing handler refuses events here too. An observer must handle its errors itself.
    #[must_use]
    pub fn on_any<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(AnyHook, HookContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<RawJson>> + Send,
    {
        let handler = Arc::new(handler);
        for name in EVENTS.iter().filter(|name| **name != WorktreeCreate::NAME) {
            self = self.register(untyped(name, Matcher::any(), &handler).of_all_events());
        }
        self
    }

    /// Calls `handler` at each event of this name, which may be unknown to this version.
    ///
    /// An unknown event may guard something. A failing handler is therefore answered with an error, and the handshake asks
    /// the CLI to block on it, unless the matcher chooses otherwise.
    #[must_use]
    pub fn on_named<F, Fut>(self, name: impl AsRef<str>, matcher: Matcher, handler: F) -> Self
    where
        F: Fn(AnyHook, HookContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<RawJson>> + Send,
    {
        self.register(untyped(name.as_ref(), matcher, &Arc::new(handler)))
    }

    /// Adds the hooks of another set after those of this one.
    #[must_use]
    pub fn and(mut self, more: Self) -> Self {
        self.registrations.extend(more.registrations);
        self
    }

    /// Returns the hooks' declaration for the handshake ([`Initialize::hooks`](agentwire_protocol::control::Initialize::hooks)).
    ///
    /// Callback ids are `hook_0`, `hook_1`, … in the order of registration.
    pub fn declaration(&self) -> BTreeMap<Box<str>, Vec<HookMatcher>> {
        let mut events = BTreeMap::<_, Vec<_>>::new();
        for (index, registration) in self.registrations.iter().enumerate() {
            if let Some(entry) = registration.declare(format!("{ID_PREFIX}{index}").into()) {
                events.entry(registration.event.clone()).or_default().push(entry);
            }
        }
        events
    }

    /// Checks that each hook can be called, as far as that is known without a CLI.
    ///
    /// A session calls this before it starts its CLI.
    ///
    /// # Errors
    ///
    /// [`HooksError::Matcher`] for the first pattern that would match nothing.
    pub fn check(&self) -> Result<(), HooksError> {
        self.registrations.iter().try_for_each(|registration| registration.check())
    }

    /// Checks whether the CLI has registered the hooks, and whether it blocks on hooks without an answer
    /// (`hook_on_failure_supported`); returns a warning if it does not block.
    ///
    /// A session calls this after the handshake.
    ///
    /// # Errors
    ///
    /// [`HooksError::NotRegistered`] if the CLI reports that it calls none of the hooks (`hooks_applied`), and
    /// [`HooksError::BlockUnsupported`] for the first hook with an explicit choice of `Block`, if the CLI does not support
    /// it.
    pub fn check_supported(&self, reply: &InitializeReply) -> Result<Option<HookWarning>, HooksError> {
        if reply.hooks_applied == Some(false) {
            return Err(HooksError::NotRegistered);
        }
        if reply.hook_on_failure_supported == Some(true) {
            return Ok(None);
        }
        let blocks = |one: &&Arc<Registration>| one.matcher.on_failure == Some(HookFailure::Block);
        if let Some(one) = self.registrations.iter().find(blocks) {
            return Err(HooksError::BlockUnsupported { event: one.event.clone() });
        }
        let guards = self.registrations.iter().filter(|registration| registration.guards());
        let events: BTreeSet<_> = guards.map(|guard| guard.event.clone()).collect();
        let events = Vec::from_iter(events);
        Ok((!events.is_empty()).then_some(HookWarning::BlockUnsupported { events }))
    }

    /// Returns warnings about the hooks, in the order of registration, except hooks of [`on_any`](Self::on_any).
    pub fn warnings(&self) -> Vec<HookWarning> {
        self.registrations.iter().flat_map(|registration| registration.warnings()).collect()
    }

    /// Returns a warning for each tool matcher that does not match these tools, in the order of registration.
    ///
    /// A session calls this with the first `system/init`
    /// ([`Init::tools`](agentwire_protocol::message::Init::tools)).
    pub fn misfits<I>(&self, tools: I) -> Vec<HookWarning>
    where
        I: IntoIterator<Item: AsRef<str>>,
    {
        let tools: Vec<I::Item> = tools.into_iter().collect();
        // Matchers may use any name of a tool; `system/init` contains one.
        let tools: Vec<&str> = tools.iter().flat_map(|tool| name::all(tool.as_ref())).collect();
        self.registrations.iter().filter_map(|registration| registration.misfit(&tools)).collect()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.registrations.is_empty()
    }

    fn find(&self, callback_id: &str) -> Option<&Arc<Registration>> {
        let index: usize = callback_id.strip_prefix(ID_PREFIX)?.parse().ok()?;
        self.registrations.get(index)
    }

    fn register(mut self, registration: Registration) -> Self {
        self.registrations.push(Arc::new(registration));
        self
    }
}

/// Answers every `hook_callback`; an undeclared id gets an error.
impl Responder for Hooks {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::HookCallback(callback) = request else { return None };
        let Some(registration) = self.find(&callback.callback_id) else {
            let why = format!("no hook has the callback id `{}`", excerpt(&callback.callback_id));
            return Some(Box::pin(async { Err(why.into()) }));
        };
        Some(Arc::clone(registration).call(*callback, context))
    }

    fn may_answer(&self, request: &InboundRequest) -> bool {
        matches!(request, InboundRequest::HookCallback(_))
    }

    fn may_answer_any(&self) -> bool {
        !self.is_empty()
    }

    fn refusal(&self, request: &InboundRequest) -> Option<RefusalFn> {
        let InboundRequest::HookCallback(callback) = request else { return None };
        self.find(&callback.callback_id)?.refusal()
    }

    fn guards(&self) -> bool {
        self.registrations.iter().any(|registration| registration.guards())
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.registrations.iter().map(|r| (&r.event, &r.matcher))).finish()
    }
}

fn untyped<F, Fut>(name: &str, matcher: Matcher, handler: &Arc<F>) -> Registration
where
    F: Fn(AnyHook, HookContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoAnswer<RawJson>> + Send,
{
    let (known, event_name, handler) = (Event::named(name), Box::<str>::from(name), Arc::clone(handler));
    let callback: Callback = Arc::new(move |input, context| {
        let (event, handler) = (AnyHook { name: event_name.clone(), raw: input }, Arc::clone(&handler));
        Box::pin(async move {
            let reply = answer(|| (*handler)(event, context)).await?;
            // The CLI ignores a reply that is not an object, and proceeds.
            if !reply.as_str().starts_with('{') {
                return Err(HandlerError::NoObject);
            }
            if let Some(event) = known {
                (event.check)(&reply).map_err(HandlerError::Misread)?;
            }
            Ok(reply)
        })
    });
    Registration::new(name, matcher, callback, known)
}

const ID_PREFIX: &str = "hook_";
