//! Watches the messages and callbacks of one session.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use agentwire_codec::FrameKind;
use agentwire_control::{CallContext, Observer, RawEvent, Received, SessionExit};
use agentwire_hooks::Hooks;
use agentwire_protocol::{InboundRequest, RawJson, message::UserInput};
use agentwire_transport::{ExitReport, Lock};

use super::{ActivityOutcome, Call, Observations, activity_tree::ActivityTree, reply, stream::ObserverQueue};

/// Tracks the activities of one session while it has an observer or its span is recorded.
///
/// Otherwise each event costs one atomic load.
pub(crate) struct Watch {
    /// Whether inputs and outputs are observed.
    pub(super) contents: bool,
    /// The hook events by callback id.
    events: HashMap<Box<str>, Box<str>>,
    wanted: AtomicBool,
    /// Lock order: before `arrived`, and never under the session's own lock.
    state: Lock<State>,
    /// Events that arrived under the session's lock, to be read after its release.
    arrived: Lock<Vec<(Instant, RawEvent)>>,
}

#[derive(Default)]
struct State {
    tree: ActivityTree,
    /// Whether the session's span, and with it every other span, is recorded.
    traced: bool,
}

impl Watch {
    pub(crate) fn new(hooks: &Hooks, contents: bool) -> Arc<Self> {
        let mut events = HashMap::new();
        for (event, matchers) in hooks.declaration() {
            let ids = matchers.into_iter().flat_map(|matcher| matcher.hook_callback_ids);
            events.extend(ids.map(|id| (id, event.clone())));
        }
        let (wanted, state, arrived) = (AtomicBool::new(false), Lock::default(), Lock::default());
        Arc::new(Self { contents, events, wanted, state, arrived })
    }

    /// Starts a session, as a child of the current span.
    pub(crate) fn begin_session(&self) {
        let mut state = self.state.lock();
        state.traced = !state.tree.begin_session().is_disabled();
        self.update_wanted(&state);
    }

    pub(crate) fn observe(&self) -> Observations {
        let queue = Arc::<ObserverQueue>::default();
        let mut state = self.state.lock();
        if !self.is_wanted() {
            // Activities that were open before are outdated: their ends were not tracked.
            state.tree.forget();
        }
        state.tree.add(&queue);
        self.update_wanted(&state);
        Observations(queue)
    }

    /// Starts a callback; `None` without an observer.
    pub(crate) fn begin(self: &Arc<Self>, request: &InboundRequest, context: &CallContext) -> Option<Call> {
        if !self.is_wanted() {
            return None;
        }
        let event = |id: &str| self.events.get(id).map(|event| &**event);
        let activity = reply::activity(request, &context.request_id, event);
        let input = self.contents.then(|| reply::input(request)).flatten();
        let (began, span) = self.state.lock().tree.begin_call(activity, input)?;
        let (watch, cancelled) = (Arc::clone(self), context.cancelled.clone());
        Some(Call { watch, began, span, cancelled, reported: false })
    }

    pub(super) fn end(&self, call: u64, outcome: ActivityOutcome, output: Option<RawJson>) {
        self.state.lock().tree.end_call(call, outcome, output);
    }

    fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Updates whether an observer exists.
    fn update_wanted(&self, state: &State) {
        self.wanted.store(state.traced || !state.tree.observers.is_empty(), Ordering::Relaxed);
    }

    /// Adds the arrived events to the tree.
    fn apply_arrived(&self, state: &mut State) {
        let arrived = std::mem::take(&mut *self.arrived.lock());
        for (at, event) in arrived {
            state.tree.note(at, event, self.contents);
        }
    }
}

impl Observer for Watch {
    fn sending(&self, prompt: &UserInput) {
        if self.contents
            && self.is_wanted()
            && let Some(id) = &prompt.uuid
            && let Ok(content) = RawJson::encode(&prompt.message.content)
        {
            self.state.lock().tree.prompt(id.clone(), content);
        }
    }

    fn arrived(&self, event: &RawEvent) {
        let is_piece = matches!(event, RawEvent::Incoming(Received::Frame(frame), _) if frame.kind == FrameKind::StreamEvent);
        if self.is_wanted() && !is_piece {
            self.arrived.lock().push((Instant::now(), event.clone()));
        }
    }

    fn settle(&self) {
        if self.is_wanted() {
            let mut state = self.state.lock();
            self.apply_arrived(&mut state);
            self.update_wanted(&state);
        }
    }

    fn ended(&self, ending: &SessionExit) {
        let mut state = self.state.lock();
        self.apply_arrived(&mut state);
        state.tree.end_session(outcome(ending));
        state.traced = false;
        self.update_wanted(&state);
    }
}

/// Returns the outcome of a session, without contents.
fn outcome(ending: &SessionExit) -> ActivityOutcome {
    if ending.is_clean() {
        return ActivityOutcome::Done;
    }
    let is_regular = !ending.in_turn
        && ending.transport.is_none()
        && ending.exit.as_ref().is_none_or(|exit| exit.signal.is_none());
    match (&ending.exit, &ending.error_result) {
        // The CLI exits with 1 after an interrupt.
        (_, Some(result)) if is_regular && result.was_aborted() => ActivityOutcome::Interrupted,
        (Some(ExitReport { code: Some(code), .. }), _) if *code != 0 => {
            ActivityOutcome::error(format!("exit {code}"))
        }
        (Some(ExitReport { signal: Some(signal), .. }), _) => {
            ActivityOutcome::error(format!("signal {signal}"))
        }
        _ if ending.in_turn || ending.transport.is_some() => ActivityOutcome::Cut,
        (_, Some(result)) => ActivityOutcome::of_subtype(&result.subtype),
        _ => ActivityOutcome::Error { kind: None },
    }
}
