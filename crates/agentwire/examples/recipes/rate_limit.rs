//! Recipe `rate-limit`: a tool is used so many times in a while, and no more.

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

/// Refuses a tool that was asked for `most` times within the last `period`; each tool counts for itself.
///
/// Calls of subagents count as those of the main conversation.
/// A call counts also where it is refused later on, and one that is refused here does not.
/// The count is of these hooks: sessions that are given clones of them share it.
///
/// Not covered: tools that are not named.
/// What one call does may be any amount of work: it limits calls, and not cost.
pub(crate) fn limit<I, T>(hooks: Hooks, tools: I, most: usize, period: Duration) -> Hooks
where
    I: IntoIterator<Item = T>,
    T: Into<Box<str>>,
{
    // A place for each tool from the start, so that nothing grows by what a model asks for.
    let calls: BTreeMap<Box<str>, VecDeque<Instant>> =
        tools.into_iter().map(|tool| (tool.into(), VecDeque::new())).collect();
    let matcher = Matcher::tools(calls.keys());
    let calls = Mutex::new(calls);
    hooks.on_matching(PreToolUse, matcher, move |input, _cx| {
        let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
        // The CLI has matched a tool that was not named: nothing is known of it.
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
