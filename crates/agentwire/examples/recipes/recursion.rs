//! Recipe `recursion`: subagents start no subagents, and a session starts so many and no more.

use std::{
    future::ready,
    sync::atomic::{AtomicUsize, Ordering},
};

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::hook::{HookReply, PreToolUse},
};

/// Refuses subagents the tools that start subagents, and everybody more than `most` starts in all.
///
/// In hooks the tool is `Agent`, whatever the `assistant` message says; `Task` is its name in older CLIs, and `Workflow`
/// starts any number of subagents at one go, so it is refused altogether.
/// The count is of these hooks, and goes up also where the start is refused later on.
///
/// Not covered: a CLI that is started by a command (`claude -p` in `Bash`), and skills that run as a subagent.
pub(crate) fn guard(hooks: Hooks, most: usize) -> Hooks {
    let started = AtomicUsize::new(0);
    hooks.on_matching(PreToolUse, Matcher::tools(["Agent", "Task", "Workflow"]), move |input, _cx| {
        ready(if input.agent_id.is_some() {
            HookReply::<PreToolUse>::deny(
                "a subagent starts no others: do it yourself, or say what is left to do",
            )
        } else if input.tool_name == "Workflow" {
            HookReply::deny("workflows are not used here")
        } else if started.fetch_add(1, Ordering::Relaxed) >= most {
            HookReply::deny(format!("{most} subagents are enough: go on without another one"))
        } else {
            HookReply::proceed()
        })
    })
}
