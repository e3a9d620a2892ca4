//! Permission handlers for the common cases, to be chained with [`PermissionHandler::or`].
//!
//! Each of them leaves some requests open, for the next handler of the chain; a request that stays open is denied.
//! They match the tool's name in `can_use_tool`, and not its input: only the CLI's own rules interpret commands and paths
//! (the option `disallowed_tools`, and the settings).
//! They see only the tool uses that the CLI asks about: a use that a rule, a mode or a `PreToolUse` hook has settled
//! never arrives. A list of denied tools therefore does not replace deny rules.
//!
//! Denials match broadly (any case, older names of the CLI, all uses if a rule names some), and allowances match
//! strictly. No policy allows a request that needs a person ([`CanUseTool::wants_a_person`]).

use agentwire_protocol::{
    control::CanUseTool,
    permission::{Decision, Rule},
};

use crate::{PermissionHandler, pattern::name};

/// Allows the tools of these names, and leaves others open.
///
/// A name is exact, as in `Write`; a `*` at its end matches any ending, as in `mcp__docs__*`.
/// The star does not cross to another server: `mcp__docs__*` allows no tool of a server `docs__evil`.
/// The request names the server. An old CLI does not; then the handler leaves a tool open if its name could also belong
/// to another server (`mcp__docs__evil__x`).
/// `mcp__*` matches all servers, `mcp__docs*` all servers with that prefix, and `*` everything; other names match no tool
/// of a server.
/// A rule with parentheses allows nothing, since the input is not examined.
pub fn allow<I>(tools: I) -> PermissionHandler
where
    I: IntoIterator<Item: Into<String>>,
{
    let tools: Vec<String> = tools.into_iter().map(Into::into).collect();
    allowing(move |request| tools.iter().any(|tool| allows(tool, request)))
}

/// Denies the tools of these names with a reason for the model, and leaves others open.
///
/// As with [`allow`], a `*` may end a name; the text behind another `*` is ignored, so `mcp__*__delete` is `mcp__*`.
/// A server's name such as `mcp__mail` matches all its tools.
/// A rule with parentheses denies all uses of its tool. As in the CLI, such a rule for `Edit` also covers the other
/// tools that change files, and one for `Read` the other tools that read them.
/// Older names of the CLI match the current ones, such as `Task` for `Agent`, and characters that the CLI replaces by `_`
/// in the names of MCP servers and tools match `_`.
pub fn deny<I>(tools: I, why: impl Into<String>) -> PermissionHandler
where
    I: IntoIterator<Item: Into<String>>,
{
    let tools: Vec<String> = tools.into_iter().flat_map(|tool| denied_names(&tool.into())).collect();
    let why = why.into();
    PermissionHandler::new(move |request, _| {
        let name = current_name(&request.tool_name).to_ascii_lowercase();
        // A tool's name may lack its server.
        let of_server = server_of(&request)
            .map(|server| name::normalized(&format!("mcp__{server}__{name}"), "").to_ascii_lowercase());
        let mut names = [Some(name), of_server].into_iter().flatten();
        let denied =
            names.any(|name| tools.iter().any(|tool| begins(tool, &name) || is_server_of(tool, &name)));
        std::future::ready(denied.then(|| Decision::deny(why.clone())))
    })
}

/// Allows the CLI's own tools that only read files (`Read`, `Glob`, `Grep`), and leaves others open.
///
/// These tools may also read files outside of the working directories, about which the CLI asks.
/// All other tools are left open: shell commands, network tools, and tools of MCP servers. Their `readOnlyHint` is an
/// unverified claim and not part of the request.
pub fn read_only() -> PermissionHandler {
    allowing(|request| request.mcp_server.is_none() && READ_ONLY.contains(&&*request.tool_name))
}

fn allowing(allowed: impl Fn(&CanUseTool) -> bool + Send + Sync + 'static) -> PermissionHandler {
    PermissionHandler::new(move |request: CanUseTool, _| {
        let allows = !request.wants_a_person() && allowed(&request);
        std::future::ready(allows.then(Decision::allow))
    })
}

/// Returns whether the pattern allows the tool, and the tool can't belong to another server.
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

/// Returns the request's server, in the form that its tools' names contain.
fn server_of(request: &CanUseTool) -> Option<String> {
    let server = &request.mcp_server.as_ref()?.name;
    Some(name::normalized(&format!("mcp__{server}"), "").split_off("mcp__".len()))
}

fn begins(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}

/// Returns whether the tool belongs to this MCP server.
fn is_server_of(pattern: &str, name: &str) -> bool {
    let tool = name.strip_prefix(pattern).and_then(|rest| rest.strip_prefix("__"));
    pattern.starts_with("mcp__") && tool.is_some()
}

/// Returns the name to deny in lower case, without the parentheses of a rule.
fn denied_names(text: &str) -> Vec<String> {
    let text = text.trim();
    let (name, has_content) = match text.parse::<Rule>() {
        Ok(rule) => (String::from(rule.tool_name), rule.rule_content.is_some()),
        Err(_) => (text.split('(').next().unwrap_or_default().trim().to_owned(), false),
    };
    let name = current_name(&name).to_ascii_lowercase();
    let name = name::normalized(&name, "*");
    // A `*` in the middle would match nothing: deny all names that begin like the text before it.
    let name = name.find('*').map_or(&*name, |star| &name[..=star]);
    let server = name.strip_suffix("__").filter(|_| name.starts_with("mcp__"));
    let name = server.unwrap_or(name);
    let others: &[&str] = match name {
        "edit" if has_content => &["write", "multiedit", "notebookedit"],
        "read" if has_content => &["glob", "grep"],
        _ => &[],
    };
    std::iter::once(name).chain(others.iter().copied()).map(str::to_owned).collect()
}

/// Returns the current name of a tool, since an old CLI uses older names.
fn current_name(name: &str) -> &str {
    name::RENAMED.iter().find(|(old, _)| old.eq_ignore_ascii_case(name)).map_or(name, |(_, today)| today)
}

/// Tools that only read files, by the names of CLI 2.1.330.
const READ_ONLY: &[&str] = &["Read", "Glob", "Grep"];
