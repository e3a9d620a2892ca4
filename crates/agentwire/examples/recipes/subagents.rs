//! Recipe `subagents`: lists the subagents of a session and their tool uses.

use std::{
    collections::BTreeMap,
    future::ready,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::{
        control::HookFailure,
        hook::{PreToolUse, SubagentStart, SubagentStop},
    },
};

/// Keeps a list of the subagents of a session, by id.
///
/// Tool calls carry the id of their subagent; those of the main conversation carry none.
///
/// Not covered: the work of a subagent, and the reason for its end.
/// A stopped or interrupted subagent may never be reported as ended.
pub(crate) fn track(hooks: Hooks) -> (Hooks, Subagents) {
    let subagents = Subagents::default();
    let (started, used, stopped) = (subagents.clone(), subagents.clone(), subagents.clone());
    // A failing `SubagentStop` hook would make the subagent continue; this hook only watches.
    let any = || Matcher::any().on_failure(HookFailure::Continue);
    let hooks = hooks
        .on_matching(SubagentStart, any(), move |input, _cx| {
            started.start(input.agent_id, input.agent_type);
            ready(())
        })
        .on_matching(PreToolUse, any(), move |input, _cx| {
            if let Some(id) = input.agent_id {
                used.change(&id, |agent| agent.calls += 1);
            }
            ready(())
        })
        .on_matching(SubagentStop, any(), move |input, _cx| {
            stopped.change(&input.agent_id, |agent| agent.running = false);
            ready(())
        });
    (hooks, subagents)
}

/// The subagents seen, at most 1,000.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subagents(Arc<Mutex<BTreeMap<Box<str>, Subagent>>>);

/// The state of a subagent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subagent {
    /// The kind, such as `general-purpose`.
    pub(crate) kind: Box<str>,
    /// The number of requested tool uses.
    pub(crate) calls: u64,
    /// Whether its end was not reported yet.
    pub(crate) running: bool,
}

impl Subagents {
    /// Returns the subagents seen, by id.
    pub(crate) fn list(&self) -> BTreeMap<Box<str>, Subagent> {
        self.lock().clone()
    }

    fn start(&self, id: Box<str>, kind: Box<str>) {
        let mut known = self.lock();
        if known.len() < MAX_KNOWN {
            known.insert(id, Subagent { kind, calls: 0, running: true });
        }
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut Subagent)) {
        if let Some(known) = self.lock().get_mut(id) {
            change(known);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Box<str>, Subagent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The maximum number of subagents to remember.
const MAX_KNOWN: usize = 1_000;
