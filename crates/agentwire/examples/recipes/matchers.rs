//! Recipe `matchers`: which calls a hook is for, by a regular expression, for all MCP tools, and for everything.

use std::future::ready;

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::{
        control::HookFailure,
        hook::{HookReply, PreToolUse},
    },
};

/// Has the user asked about each tool of each MCP server, also where a rule allows it.
///
/// Their names are `mcp__SERVER__TOOL`: `mcp__.*` is for all, `mcp__github__.*` for those of one server.
/// `mcp__github` alone is no regular expression to the CLI but a whole name; such a matcher is refused with the session.
///
/// Where nobody is to be asked the call is denied.
/// Not covered: the two tools of the CLI's own that read what servers offer (`ListMcpResourcesTool`,
/// `ReadMcpResourceTool`).
pub(crate) fn ask_about_mcp_tools(hooks: Hooks) -> Hooks {
    let tools = Matcher::pattern("mcp__.*");
    hooks.on_matching(PreToolUse, tools, |input, _cx| {
        ready(HookReply::<PreToolUse>::ask(format!("{} is a tool of a server", input.tool_name)))
    })
}

/// Refuses every tool whose name ends in `Edit` or `Write`, by a regular expression.
///
/// The expression may match anywhere in the name, so it has its `^` and `$`; capital letters count.
/// One with a mistake is refused with the session; one that means something else matches that, so try it before you
/// rely on it.
pub(crate) fn refuse_writing(hooks: Hooks) -> Hooks {
    hooks.on_matching(PreToolUse, Matcher::pattern("^[A-Za-z]*(Edit|Write)$"), |_input, _cx| {
        ready(HookReply::<PreToolUse>::deny("nothing is written here"))
    })
}

/// Tells `watch` the name of every tool that is asked for: without a pattern a hook is for everything.
///
/// It says nothing and guards nothing, so its failure lets the call go on.
pub(crate) fn watch_everything(hooks: Hooks, watch: impl Fn(&str) + Send + Sync + 'static) -> Hooks {
    let all = Matcher::any().on_failure(HookFailure::Continue);
    hooks.on_matching(PreToolUse, all, move |input, _cx| {
        watch(&input.tool_name);
        ready(())
    })
}
