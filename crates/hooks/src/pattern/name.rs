//! Names of tools, in the form that hooks get.

use std::iter::repeat_n;

/// Returns the name in the form that hooks get: the CLI replaces disallowed characters in MCP names by `_`.
///
/// The characters `kept` stay, since they have a meaning in the matcher.
pub fn normalized(name: &str, kept: &str) -> String {
    if !name.starts_with("mcp__") {
        return name.to_owned();
    }
    let units = |char: char| {
        let stays = is_of_name(char) || kept.contains(char);
        // JavaScript counts UTF-16 units: a character beyond the basic plane is two.
        if stays { repeat_n(char, 1) } else { repeat_n('_', char.len_utf16()) }
    };
    name.chars().flat_map(units).collect()
}

/// Returns a user's name for a tool in the form that hooks get, or unchanged if [`check`] will refuse it: a list, a rule,
/// a star, or surrounding blanks.
pub(crate) fn given(name: &str) -> String {
    if name.trim() != name || name.contains(char::is_control) {
        return name.to_owned();
    }
    normalized(name, "*(),|")
}

/// Checks that this is a possible name of a tool.
pub(crate) fn check(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("a name is empty".to_owned());
    }
    if name.contains('(') {
        return Err(format!(
            "`{name}` looks like a permission rule, and the tool's name alone is compared; look at the tool's input in the \
             handler"
        ));
    }
    if let Some(char) = name.chars().find(|char| !is_of_name(*char)) {
        let char = char.escape_debug();
        return Err(format!("no tool's name has a `{char}`; a regular expression is a `Matcher::pattern`"));
    }
    if name.len() > MAX_LENGTH {
        return Err(format!("no tool's name is longer than {MAX_LENGTH} characters"));
    }
    if begins_like_mcp(name) && server_and_tool(name).is_none() {
        let server = name.trim_end_matches('_');
        let server = if server.starts_with("mcp__") { server } else { "mcp__server" };
        return Err(format!(
            "no tool is called `{name}`: a tool of an MCP server is `mcp__server__tool`, and the pattern for all tools of \
             a server is `{server}__.*`"
        ));
    }
    Ok(())
}

/// Returns whether the name resembles an MCP tool's name, even with the wrong case or number of `_`.
pub(crate) fn begins_like_mcp(name: &str) -> bool {
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("mcp_"))
}

/// Splits `mcp__server__tool` into server and tool.
fn server_and_tool(name: &str) -> Option<(&str, &str)> {
    let named = name.strip_prefix("mcp__")?.split_once("__")?;
    (!named.0.is_empty() && !named.1.is_empty()).then_some(named)
}

pub(crate) fn is_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == '-'
}

/// Returns the names of a tool: the current one and the older ones, of which the tool's name may be one.
pub(crate) fn all(tool: &str) -> impl Iterator<Item = &str> {
    let current = RENAMED.iter().find(|(old, _)| *old == tool).map_or(tool, |(_, current)| current);
    let older = RENAMED.iter().filter(move |(_, new)| *new == current).map(|(old, _)| *old);
    std::iter::once(current).chain(older)
}

/// The longest name that the API accepts.
pub(crate) const MAX_LENGTH: usize = 128;
/// Older tool names, with the current names, of CLI 2.1.330 and 2.1.197. A matcher with an older name matches too.
pub(crate) const RENAMED: &[(&str, &str)] = &[
    ("Task", "Agent"),
    ("KillShell", "TaskStop"),
    ("KillBash", "TaskStop"),
    ("AgentOutput", "TaskOutput"),
    ("BashOutput", "TaskOutput"),
    ("ListPeers", "ListAgents"),
    ("Brief", "SendUserMessage"),
    ("ListMcpResources", "ListMcpResourcesTool"),
    ("ReadMcpResource", "ReadMcpResourceTool"),
    ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
    ("ProposeGoal", "SetGoal"),
];
/// The tools of CLI 2.1.330 and earlier.
pub(crate) const KNOWN: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "KillShell",
    "ListAgents",
    "ListMcpResourcesTool",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Read",
    "ReadMcpResourceTool",
    "SendMessage",
    "Skill",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Write",
];
