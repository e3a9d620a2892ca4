//! Recipe `recursion`: subagents can't start subagents, and the number of starts is limited.

use std::{
    future::ready,
    sync::atomic::{AtomicUsize, Ordering},
};

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::hook::{HookReply, PreToolUse},
};

/// Denies subagents the tools that start subagents, and denies all starts after the first `most`.
///
/// In hooks the tool is named `Agent`, even if the `assistant` message has another name; older CLIs use `Task`.
/// `Workflow` starts any number of subagents at once, so it is always denied.
/// The count belongs to these hooks, and increases even if the start is denied later.
///
/// Not covered: a CLI started by a command (`claude -p` in `Bash`), and skills that run as a subagent.
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
