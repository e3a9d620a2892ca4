//! Permission handlers for the common cases, to be chained with [`PermissionHandler::or`].
//!
//! None of them decides about everything: what they leave open is for the next, and for a denial in the end.
//! They match by the tool's name as `can_use_tool` has it, and not by what is in its input: reading commands and paths
//! as the CLI does is the business of its own rules (`disallowed_tools` among the options, and the settings).
//! They see what the CLI asks about, and nothing else: what a rule, a mode or a `PreToolUse` hook has settled never
//! comes here.
//! So a list of what is denied is no replacement for deny rules.
//!
//! Denials match generously (any case, names that the CLI has given up, all uses where some are named), allowances
//! strictly, and none of them allows what is meant for a person ([`CanUseTool::wants_a_person`]).

use agentwire_protocol::{
    control::CanUseTool,
    permission::{Decision, Rule},
};

use crate::{PermissionHandler, pattern::name::normalized};

/// Allows the tools of these names, and leaves others open.
///
/// A name is exact, as in `Write`; one with a `*` at its end stands for all that begin so, as in `mcp__docs__*`.
/// Such a star stays with its server: `mcp__docs__*` allows no tool of a server `docs__evil`.
/// The server is the one that the question names; where an old CLI names none, a tool whose name may be read as that of
/// another server's (`mcp__docs__evil__x`) is left open.
/// `mcp__*` stands for all servers, `mcp__docs*` for all whose names begin so, and `*` for everything; other names allow
/// no tool of a server.
/// A rule with parentheses names some uses only, which can't be told here: it allows nothing.
pub fn allow<I>(tools: I) -> PermissionHandler
where
    I: IntoIterator<Item: Into<String>>,
{
    let tools: Vec<String> = tools.into_iter().map(Into::into).collect();
    allowing(move |request| tools.iter().any(|tool| allows(tool, request)))
}

/// Denies the tools of these names for this reason, which the model is told, and leaves others open.
///
/// As with [`allow`], a `*` may end a name; a server's name as in `mcp__mail` stands for all its tools.
/// A rule with parentheses denies all uses of its tool.
/// `Task` is `Agent` here, and other names that the CLI has given up are those of today; what the CLI writes as `_` in the
/// names of MCP servers and tools is `_`.
pub fn deny<I>(tools: I, why: impl Into<String>) -> PermissionHandler
where
    I: IntoIterator<Item: Into<String>>,
{
    let tools: Vec<String> = tools.into_iter().map(|tool| denied_name(&tool.into())).collect();
    let why = why.into();
    PermissionHandler::new(move |request, _| {
        let name = todays(&request.tool_name).to_lowercase();
        // A tool may come without its server in the name.
        let of_server = server_of(&request)
            .map(|server| normalized(&format!("mcp__{server}__{name}"), "").to_lowercase());
        let mut names = [Some(name), of_server].into_iter().flatten();
        let denied =
            names.any(|name| tools.iter().any(|tool| begins(tool, &name) || is_server_of(tool, &name)));
        std::future::ready(denied.then(|| Decision::deny(why.clone())))
    })
}

/// Allows the CLI's own tools that only read files (`Read`, `Glob`, `Grep`), and leaves others open.
///
/// They read whatever is asked for, also outside of the working directories, where the CLI asks.
/// What is unknown is not read-only: tools of MCP servers, whose `readOnlyHint` is a claim of the server's and not in
/// the question, are left open, and so are commands of the shell and whatever reaches the network.
pub fn read_only() -> PermissionHandler {
    allowing(|request| request.mcp_server.is_none() && READ_ONLY.contains(&&*request.tool_name))
}

fn allowing(allowed: impl Fn(&CanUseTool) -> bool + Send + Sync + 'static) -> PermissionHandler {
    PermissionHandler::new(move |request: CanUseTool, _| {
        let allows = !request.wants_a_person() && allowed(&request);
        std::future::ready(allows.then(Decision::allow))
    })
}

/// Whether the tool is one that the pattern allows: where it may belong to another server, it is not.
fn allows(pattern: &str, request: &CanUseTool) -> bool {
    let name = &*request.tool_name;
    if pattern == "*" {
        return true;
    }
    let Some(of_servers) = pattern.strip_prefix("mcp__") else {
        return request.mcp_server.is_none() && !name.starts_with("mcp__") && begins(pattern, name);
    };
    let start = of_servers.strip_suffix('*').and_then(|start| start.rsplit_once("__"));
    let (Some((server, _)), true) = (start, begins(pattern, name)) else { return begins(pattern, name) };
    match server_of(request) {
        Some(named) => named == server,
        None => {
            let tool = name.get("mcp__".len() + server.len() + "__".len()..).unwrap_or_default();
            !tool.starts_with('_') && !tool.contains("__")
        }
    }
}

/// The server that the question names, as it is in the names of its tools.
fn server_of(request: &CanUseTool) -> Option<String> {
    let server = &request.mcp_server.as_ref()?.name;
    Some(normalized(&format!("mcp__{server}"), "").split_off("mcp__".len()))
}

fn begins(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}

/// Whether the tool is one of this MCP server's.
fn is_server_of(pattern: &str, name: &str) -> bool {
    let tool = name.strip_prefix(pattern).and_then(|rest| rest.strip_prefix("__"));
    pattern.starts_with("mcp__") && tool.is_some()
}

/// What to deny for what was written, in lower case; where it is no rule, all that begins as it does.
fn denied_name(text: &str) -> String {
    let text = text.trim();
    let name = match text.parse::<Rule>() {
        Ok(rule) => String::from(rule.tool_name),
        Err(_) => text.split('(').next().unwrap_or_default().trim().to_owned(),
    };
    let name = todays(&name).to_lowercase();
    let name = normalized(&name, "*");
    let server = name.strip_suffix("__").filter(|_| name.starts_with("mcp__"));
    server.unwrap_or(&name).to_owned()
}

/// The name of today: an old CLI asks by those that were given up.
fn todays(name: &str) -> &str {
    ABORTED.iter().find(|(old, _)| old.eq_ignore_ascii_case(name)).map_or(name, |(_, today)| today)
}

/// Tools that do nothing but read files, by the names of CLI 2.1.330.
const READ_ONLY: &[&str] = &["Read", "Glob", "Grep"];
/// Names that CLI 2.1.330 reads as others in its rules.
const ABORTED: &[(&str, &str)] = &[
    ("Task", "Agent"),
    ("KillShell", "TaskStop"),
    ("KillBash", "TaskStop"),
    ("Brief", "SendUserMessage"),
    ("ListMcpResources", "ListMcpResourcesTool"),
];
