//! The tree of open activities of a session.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Weak},
    time::{Instant, SystemTime},
};

use agentwire_control::TurnInfo;
use agentwire_protocol::{RawJson, SessionId, ToolUseId, Uuid, content::ToolUse};
use tracing::Span;

use super::{
    Activity, ActivityOutcome, Began, Ended, Observation, Totals, reply, span, stream::ObserverQueue,
};

/// The open activities of a session, and its observers.
#[derive(Debug, Default)]
pub(super) struct ActivityTree {
    last_id: u64,
    session_id: Option<SessionId>,
    turns: u64,
    session: Option<OpenActivity>,
    turn: Option<OpenActivity>,
    tool_uses: HashMap<ToolUseId, OpenActivity>,
    /// Callbacks, by their numbers.
    calls: BTreeMap<u64, OpenActivity>,
    /// Contents of sent prompts, kept until their turn begins; empty if contents are not observed.
    prompts: VecDeque<(Uuid, RawJson)>,
    pub(super) observers: Vec<Weak<ObserverQueue>>,
    /// The end of the session, for observers that are added after it.
    end: Option<Observation>,
}

/// An activity that has begun and not ended.
#[derive(Debug)]
struct OpenActivity {
    began: Arc<Began>,
    since: Instant,
    span: Span,
}

impl ActivityTree {
    /// Starts a session and returns its span.
    pub(super) fn begin_session(&mut self) -> Span {
        *self = Self::default();
        let open = self.open(Activity::Session, None, None, Instant::now());
        let span = open.span.clone();
        self.session = Some(open);
        span
    }

    /// Adds an observer and sends it the open activities.
    pub(super) fn add(&mut self, queue: &Arc<ObserverQueue>) {
        let mut open: Vec<_> = self.all_open().map(|open| Arc::clone(&open.began)).collect();
        open.sort_by_key(|began| began.id);
        open.into_iter().for_each(|began| queue.push(Observation::Began(began)));
        if let Some(end) = &self.end {
            queue.push(end.clone());
            queue.close();
        } else {
            self.observers.push(Arc::downgrade(queue));
        }
    }

    /// Forgets the activities inside the session: without an observer their ends were not tracked.
    pub(super) fn forget(&mut self) {
        self.turn = None;
        self.tool_uses.clear();
        self.calls.clear();
    }

    /// Records a prompt that is being sent.
    pub(super) fn prompt(&mut self, id: Uuid, content: RawJson) {
        // The caller may send a prompt again with the same id, for example after `NotSent`.
        self.prompts.retain(|(known, _)| *known != id);
        if self.prompts.len() == MAX_PROMPTS {
            self.prompts.pop_front();
        }
        self.prompts.push_back((id, content));
    }

    /// Ends a tool use, if it is open.
    pub(super) fn end_tool_use(
        &mut self,
        at: Instant,
        id: &ToolUseId,
        outcome: ActivityOutcome,
        output: Option<RawJson>,
    ) {
        if let Some(open) = self.tool_uses.remove(id) {
            self.close(open, at, outcome, output, None);
        }
    }

    /// Starts a callback; `None` if the session has ended.
    pub(super) fn begin_call(
        &mut self,
        activity: Activity,
        input: Option<RawJson>,
    ) -> Option<(Arc<Began>, Span)> {
        self.session.as_ref()?;
        let tool_use = reply::tool_use(&activity).and_then(|id| self.tool_uses.get(id));
        let parent = tool_use.map(OpenActivity::place).or_else(|| self.running());
        let open = self.open(activity, parent, input, Instant::now());
        let (began, span) = (Arc::clone(&open.began), open.span.clone());
        self.calls.insert(began.id, open);
        Some((began, span))
    }

    /// Ends a callback, unless its end was already reported.
    pub(super) fn end_call(&mut self, id: u64, outcome: ActivityOutcome, output: Option<RawJson>) {
        if let Some(open) = self.calls.remove(&id) {
            self.close(open, Instant::now(), outcome, output, None);
        }
    }

    /// Ends the session and everything open in it, the innermost first.
    pub(super) fn end_session(&mut self, outcome: ActivityOutcome) {
        let now = Instant::now();
        let mut open: Vec<_> = std::mem::take(&mut self.calls).into_values().collect();
        open.extend(std::mem::take(&mut self.tool_uses).into_values());
        open.extend(self.turn.take());
        open.sort_by_key(|open| std::cmp::Reverse(open.began.id));
        open.into_iter().for_each(|open| self.close(open, now, ActivityOutcome::Cut, None, None));
        let Some(session) = self.session.take() else { return };
        self.close(session, now, outcome, None, None);
        for queue in self.observers.drain(..).filter_map(|queue| queue.upgrade()) {
            queue.close();
        }
        self.prompts.clear();
    }

    /// Starts the turn, or adds the session and the model if it runs already.
    pub(super) fn turn(
        &mut self,
        at: Instant,
        session_id: Option<SessionId>,
        turn: &TurnInfo,
        model: Option<Box<str>>,
    ) {
        if session_id.is_some() && session_id != self.session_id {
            self.session_id = session_id;
            if let (Some(id), Some(session)) = (&self.session_id, &self.session) {
                session.span.record("session_id", id.as_str());
            }
        }
        if let Some(open) = &mut self.turn {
            if let Some(model) = model {
                open.span.record("model", &*model);
                if let Activity::Turn { model: known, .. } = &mut Arc::make_mut(&mut open.began).activity {
                    *known = Some(model);
                }
            }
            return;
        }
        self.turns += 1;
        let prompts: Vec<_> = turn.prompts.iter().map(|named| (**named).clone()).collect();
        let input = self.given(&prompts);
        let activity = Activity::Turn { number: self.turns, prompts, model };
        let parent = self.session.as_ref().map(OpenActivity::place);
        self.turn = Some(self.open(activity, parent, input, at));
    }

    /// Returns the contents of these prompts: a single one, or an array of several.
    fn given(&mut self, prompts: &[Uuid]) -> Option<RawJson> {
        let mut given = Vec::new();
        self.prompts.retain(|(id, content)| {
            let is_meant = prompts.contains(id);
            given.extend(is_meant.then(|| content.clone()));
            !is_meant
        });
        if given.len() > 1 { RawJson::encode(&given).ok() } else { given.pop() }
    }

    /// Starts a tool use.
    pub(super) fn tool_use(
        &mut self,
        at: Instant,
        used: &ToolUse,
        parent_tool_use_id: Option<ToolUseId>,
        contents: bool,
    ) {
        if self.tool_uses.len() >= MAX_TOOL_USES || self.tool_uses.contains_key(&used.id) {
            return;
        }
        let parent = match &parent_tool_use_id {
            None => self.running(),
            // A background subagent outlives its tool use and the turn.
            Some(parent) => self.tool_uses.get(parent).or(self.session.as_ref()).map(OpenActivity::place),
        };
        let (id, tool) = (used.id.clone(), used.name.clone());
        let activity = Activity::ToolUse { id, tool, parent_tool_use_id };
        let open = self.open(activity, parent, contents.then(|| used.input.clone()), at);
        self.tool_uses.insert(used.id.clone(), open);
    }

    /// Ends the turn with its tool uses, including those of subagents that it waited for.
    pub(super) fn end_turn(
        &mut self,
        at: Instant,
        outcome: ActivityOutcome,
        output: Option<RawJson>,
        totals: Option<Box<Totals>>,
    ) {
        let of_turn = self.tool_uses.iter().filter(|(_, open)| self.is_of_turn(open));
        let mut ids: Vec<_> = of_turn.map(|(id, open)| (open.began.id, id.clone())).collect();
        ids.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        let interrupted = outcome == ActivityOutcome::Interrupted;
        for (_, id) in ids {
            let how = if interrupted { ActivityOutcome::Interrupted } else { ActivityOutcome::Cut };
            self.end_tool_use(at, &id, how, None);
        }
        if let Some(turn) = self.turn.take() {
            self.close(turn, at, outcome, output, totals);
        }
    }

    /// Returns whether a tool use belongs to the main conversation, or to a subagent with an open tool use of its own.
    fn is_of_turn(&self, open: &OpenActivity) -> bool {
        let mut open = open;
        // The number of tool uses limits the depth, so that a cycle of ids can't loop forever.
        for _ in 0..=self.tool_uses.len() {
            let Activity::ToolUse { parent_tool_use_id, .. } = &open.began.activity else { return false };
            let Some(parent) = parent_tool_use_id else { return true };
            let Some(parent) = self.tool_uses.get(parent) else { return false };
            open = parent;
        }
        false
    }

    /// Returns the parent of new activities: the turn, or else the session.
    fn running(&self) -> Option<(u64, Span)> {
        self.turn.as_ref().or(self.session.as_ref()).map(OpenActivity::place)
    }

    fn open(
        &mut self,
        activity: Activity,
        parent: Option<(u64, Span)>,
        input: Option<RawJson>,
        since: Instant,
    ) -> OpenActivity {
        self.last_id += 1;
        let (parent, around) = parent.unzip();
        let span = span::open(&activity, around.as_ref(), self.session_id.as_ref());
        span::contents(&span, "input", input.as_ref());
        let (id, at, session_id) = (self.last_id, time(since), self.session_id.clone());
        let began = Arc::new(Began { id, parent, activity, session_id, at, input });
        self.notify(&Observation::Began(Arc::clone(&began)));
        OpenActivity { began, since, span }
    }

    fn close(
        &mut self,
        open: OpenActivity,
        at: Instant,
        outcome: ActivityOutcome,
        output: Option<RawJson>,
        totals: Option<Box<Totals>>,
    ) {
        let OpenActivity { began, since, span } = open;
        let took = at.saturating_duration_since(since);
        span::contents(&span, "output", output.as_ref());
        span::close(&span, &began.activity, &outcome, took, totals.as_deref());
        let is_session = began.activity == Activity::Session;
        let (at, session_id) = (time(at).max(began.at), self.session_id.clone());
        let ended = Ended { began, at, took, outcome, session_id, output, totals };
        let observation = Observation::Ended(Arc::new(ended));
        self.notify(&observation);
        if is_session {
            self.end = Some(observation);
        }
    }

    fn notify(&mut self, observation: &Observation) {
        self.observers.retain(|queue| {
            let queue = queue.upgrade();
            queue.inspect(|queue| queue.push(observation.clone())).is_some()
        });
    }

    fn all_open(&self) -> impl Iterator<Item = &OpenActivity> {
        let whole = self.session.iter().chain(&self.turn);
        whole.chain(self.tool_uses.values()).chain(self.calls.values())
    }
}

/// Converts an instant to system time, counted back from now: an instant omits the time in which the machine was suspended.
fn time(at: Instant) -> SystemTime {
    let now = SystemTime::now();
    now.checked_sub(at.elapsed()).unwrap_or(now)
}

impl OpenActivity {
    /// Returns the id and span that child activities need.
    fn place(&self) -> (u64, Span) {
        (self.began.id, self.span.clone())
    }
}

/// A limit far above the number that a session has open.
const MAX_TOOL_USES: usize = 4096;
/// The limit of prompt contents kept for turns that have not begun.
const MAX_PROMPTS: usize = 64;
