//! Recipe `matchers`: selects the calls of a hook by a regular expression, for all MCP tools, or for everything.

use std::future::ready;

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::{
        control::HookFailure,
        hook::{HookReply, PreToolUse},
    },
};

/// Asks the user about each tool of each MCP server, even if a rule allows it.
///
/// Their names are `mcp__SERVER__TOOL`: `mcp__.*` matches all of them, `mcp__github__.*` those of one server.
/// The CLI reads `mcp__github` as a whole name and not as a regular expression; such a matcher is an error when the
/// session starts.
///
/// Without a permission handler, the call is denied.
/// Not covered: the CLI's own two tools that read resources of servers (`ListMcpResourcesTool`, `ReadMcpResourceTool`).
pub(crate) fn ask_about_mcp_tools(hooks: Hooks) -> Hooks {
    let tools = Matcher::pattern("mcp__.*");
    hooks.on_matching(PreToolUse, tools, |input, _cx| {
        ready(HookReply::<PreToolUse>::ask(format!("{} is a tool of a server", input.tool_name)))
    })
}

/// Denies every tool with a name that ends in `Edit` or `Write`, by a regular expression.
///
/// The expression may match anywhere in the name, hence `^` and `$`; it is case-sensitive.
/// An invalid expression is an error when the session starts; a wrong one matches other names, so test it before you
/// rely on it.
pub(crate) fn refuse_writing(hooks: Hooks) -> Hooks {
    hooks.on_matching(PreToolUse, Matcher::pattern("^[A-Za-z]*(Edit|Write)$"), |_input, _cx| {
        ready(HookReply::<PreToolUse>::deny("nothing is written here"))
    })
}

/// Reports the name of every requested tool to `watch`: a hook without a pattern matches everything.
///
/// It decides nothing, so its failure lets the call continue.
pub(crate) fn watch_everything(hooks: Hooks, watch: impl Fn(&str) + Send + Sync + 'static) -> Hooks {
    let all = Matcher::any().on_failure(HookFailure::Continue);
    hooks.on_matching(PreToolUse, all, move |input, _cx| {
        watch(&input.tool_name);
        ready(())
    })
}
