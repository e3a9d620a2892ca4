//! Recipe `rate-limit`: limits the uses of a tool within a period.

use std::{
    collections::{BTreeMap, VecDeque},
    future::ready,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::hook::{HookReply, PreToolUse},
};

/// Denies a tool that was requested `most` times within the last `period`; each tool counts separately.
///
/// Calls of subagents count as well.
/// A call counts even if it is denied later; a call denied here does not.
/// The count belongs to these hooks: sessions with clones of them share it.
///
/// Not covered: other tools.
/// One call may do any amount of work: the recipe limits calls, not cost.
pub(crate) fn limit<I, T>(hooks: Hooks, tools: I, most: usize, period: Duration) -> Hooks
where
    I: IntoIterator<Item = T>,
    T: Into<Box<str>>,
{
    // Allocate an entry per tool now, so that requests of the model can't grow the map.
    let calls: BTreeMap<Box<str>, VecDeque<Instant>> =
        tools.into_iter().map(|tool| (tool.into(), VecDeque::new())).collect();
    let matcher = Matcher::tools(calls.keys());
    let calls = Mutex::new(calls);
    hooks.on_matching(PreToolUse, matcher, move |input, _cx| {
        let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
        // The CLI matched a tool that was not named.
        let Some(calls) = calls.get_mut(&*input.tool_name) else {
            return ready(HookReply::<PreToolUse>::deny("this tool has no limit, so it is not used"));
        };
        let now = Instant::now();
        while calls.front().is_some_and(|call| now.duration_since(*call) >= period) {
            calls.pop_front();
        }
        if calls.len() >= most {
            let why = format!("{} may be used {most} times in {period:?}: go on without it", input.tool_name);
            return ready(HookReply::deny(why));
        }
        calls.push_back(now);
        ready(HookReply::proceed())
    })
}
