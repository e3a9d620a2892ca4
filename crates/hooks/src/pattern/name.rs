//! Names of tools, as hooks have them.

/// Returns the name as hooks see it: the CLI replaces characters that it does not allow in MCP names by `_`.
///
/// The characters `kept` stay, since they have a meaning in the matcher.
pub(crate) fn normalized(name: &str, kept: &str) -> String {
    if !name.starts_with("mcp__") {
        return name.to_owned();
    }
    let mut normalized = String::with_capacity(name.len());
    for char in name.chars() {
        if is_of_name(char) || kept.contains(char) {
            normalized.push(char);
        } else {
            // It counts as JavaScript does: a character beyond the basic plane is two.
            (0..char.len_utf16()).for_each(|_| normalized.push('_'));
        }
    }
    normalized
}

/// Returns a name that was given for a tool as hooks have it, or as it is where [`check`] is to refuse it: a list, a rule,
/// a star, and blanks at the ends.
pub(crate) fn given(name: &str) -> String {
    if name.trim() != name || name.contains(char::is_control) {
        return name.to_owned();
    }
    normalized(name, "*(),|")
}

/// Checks that a tool may have this name.
///
/// # Errors
///
/// Why none has.
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
            "`{name}` is no tool's name: that of an MCP server's is `mcp__server__tool`, and all of its tools are the pattern \
             `{server}__.*`"
        ));
    }
    Ok(())
}

/// Whether the name looks like that of an MCP tool, also with the wrong case or number of `_`.
pub(crate) fn begins_like_mcp(name: &str) -> bool {
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("mcp_"))
}

/// What `mcp__server__tool` names.
fn server_and_tool(name: &str) -> Option<(&str, &str)> {
    let named = name.strip_prefix("mcp__")?.split_once("__")?;
    (!named.0.is_empty() && !named.1.is_empty()).then_some(named)
}

pub(crate) fn is_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == '-'
}

/// The longest name that the API takes.
pub(crate) const MAX_LENGTH: usize = 128;
/// Tools of CLI 2.1.330 and of those before it.
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
